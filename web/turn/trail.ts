import { signal } from '@preact/signals';

/** Where somebody was before a link was followed. */
export interface TrailStep {
  readonly href: string;
  readonly label: string;
}

/** Steps that are kept. */
const longest = 12;

/** The way here, oldest first. */
export const trail = signal<readonly TrailStep[]>([]);

/** Remembers the place a link is followed from. */
export function leave(label: string): void {
  const { hash } = location;
  trail.value = [...trail.peek().filter(({ href }) => href !== hash), { href: hash, label }].slice(-longest);
}

/** Forgets a step and those after it: somebody went back to it. */
export function backTo(step: TrailStep): void {
  trail.value = trail.peek().slice(0, Math.max(0, trail.peek().indexOf(step)));
}

/** Forgets the way. */
export function forgetTrail(): void {
  trail.value = [];
}
