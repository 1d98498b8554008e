import { signal } from '@preact/signals';

/** Sections of a turn, in the order of events, with their titles. */
export const turnSections = {
  items: 'Read',
  before: 'Observers before',
  system: 'System prompt',
  prompt: 'Prompt',
  diff: 'Changed',
  model: 'Model calls',
  reply: 'Reply',
  calls: 'Tool calls',
  after: 'Observers after',
  decision: 'Decision',
  state: 'State changes',
  raw: 'Raw record',
} as const;

/** Name of a section in the address. */
export type TurnSection = keyof typeof turnSections;

/** True when a word of an address is the name of a section. */
export function isTurnSection(word: string | undefined): word is TurnSection {
  return word !== undefined && Object.hasOwn(turnSections, word);
}

/** Returns the id of a section's element. */
export function sectionId(section: TurnSection): string {
  return `turn-${section}`;
}

const key = 'cadre.turn.sections';

/** Sections that the user opened or closed, for the lifetime of the window. */
export const toggled = signal<Readonly<Partial<Record<TurnSection, boolean>>>>(stored());

/** Opens or closes a section, here and on turns opened later. */
export function toggle(section: TurnSection, isOpen: boolean): void {
  if (toggled.peek()[section] === isOpen) return;
  toggled.value = { ...toggled.peek(), [section]: isOpen };
  try {
    sessionStorage.setItem(key, JSON.stringify(toggled.value));
  } catch {
    // A browser without storage forgets it with the page.
  }
}

function stored(): Readonly<Partial<Record<TurnSection, boolean>>> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Readonly<Partial<Record<TurnSection, boolean>>>;
  } catch {
    // As above.
    return {};
  }
}

/** Opens a section and scrolls to it. */
export function showSection(section: TurnSection): void {
  toggle(section, true);
  requestAnimationFrame(() => {
    const element = document.getElementById(sectionId(section));
    element?.scrollIntoView({ block: 'start' });
    element?.querySelector('button')?.focus({ preventScroll: true });
  });
}
