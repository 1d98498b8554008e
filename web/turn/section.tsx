import type { ComponentChildren } from 'preact';
import { CopyButton } from '../kit/copy-button.tsx';
import { sectionId, toggle, toggled, type TurnSection, turnSections } from './sections.ts';

/** Properties of a section of a turn. */
interface SectionProps {
  readonly name: TurnSection;
  /** Text beside the title, also shown while it is closed. */
  readonly note?: ComponentChildren;
  /** True when it is open before the user toggles it. */
  readonly isOpen?: boolean;
  /** Returns the value to copy as JSON. */
  readonly copy?: () => unknown;
  /** Rendered only while it is open. */
  readonly children: () => ComponentChildren;
}

/** A section of a turn with a heading that opens and closes it. */
export function Section({ name, note, isOpen = true, copy, children }: SectionProps) {
  const open = toggled.value[name] ?? isOpen;
  const id = sectionId(name);
  return (
    <section class="section" id={id} aria-labelledby={`${id}-title`}>
      <header class="section-head">
        <h3 id={`${id}-title`}>
          <button type="button" aria-expanded={open} aria-controls={`${id}-body`} onClick={() => toggle(name, !open)}>
            {turnSections[name]}
          </button>
        </h3>
        {note !== undefined && <span class="section-note faint">{note}</span>}
        {copy !== undefined && <CopyButton value={copy} label="copy" of={turnSections[name]} />}
      </header>
      <div id={`${id}-body`} class="section-body" hidden={!open}>
        {open && children()}
      </div>
    </section>
  );
}
