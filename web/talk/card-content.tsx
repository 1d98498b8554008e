import type { ComponentChildren } from 'preact';
import type { CardField, FieldValue } from '../../src/inspect/requests/card-fields.ts';
import type { ChangedLine, FileChange } from '../../src/core/tool/file-change.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { safe } from '../kit/safe.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { WholeText } from './whole-text.tsx';

/** The arguments of a call, each with its name and what the tool's schema says about it. */
export function Fields({ fields, label }: { readonly fields: readonly CardField[]; readonly label?: string }) {
  return (
    <dl class="fields" {...(label === undefined ? {} : { role: 'group', 'aria-label': label })}>
      {fields.map((field) => (
        <Field key={field.path} field={field} />
      ))}
    </dl>
  );
}

/** Longest text that goes beside its name instead of below it. */
const shortText = 160;

function Field({ field }: { readonly field: CardField }) {
  const { name, title, description, format, isExtra, value, origins = [], notes = [] } = field;
  const isWide = value.kind === 'fields' || value.kind === 'code' || value.text.length > shortText || value.text.includes('\n');
  return (
    <div class={`field-row ${isWide ? 'field-wide' : ''}`}>
      <dt>
        {title !== undefined && <span class="field-title">{safe(title, 120)} </span>}
        <code>{safe(name, 200)}</code>
        {value.kind === 'code' && value.language !== 'code' && <span class="badge">{languages[value.language]}</span>}
        {format !== undefined && <span class="faint small"> {safe(format, 40)}</span>}
        {isExtra === true && <span class="badge tone-waits">not in the tool's schema</span>}
        {origins.map((from) => (
          <span key={from} class="badge tone-bad" title="The same text is in a source that is not trusted.">
            also in {safe(from, 80)}, untrusted
          </span>
        ))}
        {description !== undefined && <span class="field-about faint small">{safe(description, 400)}</span>}
        {notes.map((note) => (
          <span key={note} class="field-about problem small">
            {toVisibleText(note)}
          </span>
        ))}
      </dt>
      <dd>
        <Value value={value} />
      </dd>
    </div>
  );
}

const languages = { sql: 'SQL', shell: 'shell', python: 'Python', javascript: 'JavaScript', json: 'JSON' } as const;

function Value({ value }: { readonly value: FieldValue }) {
  switch (value.kind) {
    case 'fields':
      return <Fields fields={value.fields} />;
    case 'plain':
      return <WholeText value={value.text} />;
    case 'code':
      return <WholeText value={value.text} isCode />;
    case 'text':
      return value.text === '' ? <span class="faint">(empty)</span> : <WholeText value={value.text} />;
  }
}

const verbs = {
  create: 'creates',
  replace: 'replaces',
  edit: 'changes',
  delete: 'deletes',
  move: 'moves',
  unchanged: 'leaves as it is',
} as const;

/** What a call would do to a file, as a difference to the file as it is now. */
export function ChangeView({ change }: { readonly change: FileChange }) {
  const { kind, path, to, lines, problem } = change;
  return (
    <section class="change" aria-label={`Change of ${safe(path, 200)}`}>
      <h4>
        {verbs[kind]} <code>{safe(path, 1_000)}</code>
        {to !== undefined && (
          <>
            {' '}
            to <code>{safe(to, 1_000)}</code>
          </>
        )}
        <Counts lines={lines} />
      </h4>
      {problem !== undefined && <p class="problem">{toVisibleText(problem)}</p>}
      {lines.length > 0 && <Diff lines={lines} />}
    </section>
  );
}

function Counts({ lines }: { readonly lines: readonly ChangedLine[] }) {
  const count = (kind: ChangedLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  const [added, removed] = [count('added'), count('removed')];
  if (added + removed === 0) return null;
  return (
    <span class="small number">
      {' '}
      {added > 0 && <span class="tone-good">+{added}</span>} {removed > 0 && <span class="tone-bad">−{removed}</span>}
    </span>
  );
}

const signs = { same: ' ', added: '+', removed: '−', gap: '', note: '' } as const;

/** Lines of one kind in a row, so that a long difference has few elements. */
function Diff({ lines }: { readonly lines: readonly ChangedLine[] }) {
  const blocks: ComponentChildren[] = [];
  for (let at = 0; at < lines.length;) {
    const { kind = 'same', text = '' } = lines[at] ?? {};
    let end = at + 1;
    if (kind === 'added' || kind === 'removed' || kind === 'same')
      while (end < lines.length && end - at < mostInBlock && lines[end]?.kind === kind) end += 1;
    blocks.push(
      kind === 'gap' || kind === 'note' ? (
        <div key={at} class="diff-gap faint">
          {kind === 'note' ? text : `… ${countText(Number(text), 'line')} the same`}
        </div>
      ) : (
        <div key={at} class={`diff-block diff-${kind}`}>
          {lines.slice(at, end).map((line, index) => (
            <span key={index} class="diff-row" data-sign={signs[kind]}>
              {toVisibleText(line.text)}
              {'\n'}
            </span>
          ))}
        </div>
      ),
    );
    at = end;
  }
  return (
    <div class="text diff change-lines" dir="ltr">
      {blocks}
    </div>
  );
}

const mostInBlock = 200;
