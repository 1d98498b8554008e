import { signal } from '@preact/signals';

/** The sections of a turn, in the order things happened, with their titles. */
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

/** A section of a turn, by its name in the address. */
export type TurnSection = keyof typeof turnSections;

/** Whether a word of an address names a section. */
export function isTurnSection(word: string | undefined): word is TurnSection {
  return word !== undefined && Object.hasOwn(turnSections, word);
}

/** The id of the element a section stands in. */
export function sectionId(section: TurnSection): string {
  return `turn-${section}`;
}

const key = 'cadre.turn.sections';

/** Which sections were opened and closed by hand, for as long as the window is there. */
export const toggled = signal<Readonly<Partial<Record<TurnSection, boolean>>>>(stored());

/** Opens or closes a section, here and on every turn that is looked at next. */
export function toggle(section: TurnSection, isOpen: boolean): void {
  if (toggled.peek()[section] === isOpen) return;
  toggled.value = { ...toggled.peek(), [section]: isOpen };
  try {
    sessionStorage.setItem(key, JSON.stringify(toggled.value));
  } catch {
    // A browser that stores nothing forgets it with the page.
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

/** Opens a section and brings it into view. */
export function showSection(section: TurnSection): void {
  toggle(section, true);
  requestAnimationFrame(() => {
    const element = document.getElementById(sectionId(section));
    element?.scrollIntoView({ block: 'start' });
    element?.querySelector('button')?.focus({ preventScroll: true });
  });
}
