import { signal } from '@preact/signals';

/** Page and place before a link was followed. */
export interface TrailStep {
  readonly href: string;
  readonly label: string;
}

/** Maximum number of steps. */
const longest = 12;

/** The trail, oldest step first. */
export const trail = signal<readonly TrailStep[]>([]);

/** Adds the place a link is followed from. */
export function leave(label: string): void {
  const { hash } = location;
  trail.value = [...trail.peek().filter(({ href }) => href !== hash), { href: hash, label }].slice(-longest);
}

/** Removes a step the user returned to, and later ones. */
export function backTo(step: TrailStep): void {
  trail.value = trail.peek().slice(0, Math.max(0, trail.peek().indexOf(step)));
}

/** Clears the trail. */
export function forgetTrail(): void {
  trail.value = [];
}
