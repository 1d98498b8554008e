import type { ComponentChildren } from 'preact';
import { CopyButton } from '../kit/copy-button.tsx';
import { sectionId, toggle, toggled, type TurnSection, turnSections } from './sections.ts';

/** What a section of a turn shows. */
interface SectionProps {
  readonly name: TurnSection;
  /** Said beside the title, also while it is closed. */
  readonly note?: ComponentChildren;
  /** Whether it is open until somebody says otherwise. */
  readonly isOpen?: boolean;
  /** What is copied as JSON. */
  readonly copy?: () => unknown;
  /** Built only while it is open. */
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
