import { createHash } from 'node:crypto';
import type { ChangedLine, FileChange } from '../../core/tool/file-change.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import type { TextStyle } from '../../inspect/format/text/text-style.ts';
import type { CardField, FieldValue } from '../../inspect/requests/card-fields.ts';
import type { RequestCard } from '../../inspect/requests/request-card.ts';

/** Longest text that goes beside its name. */
const shortText = 80;

/** Returns the lines of a card's content: changes to files, and all arguments in full, escaped, with their SHA-256. */
export function contentLines(card: RequestCard, style: TextStyle): readonly string[] {
  if (card.kind === 'question' && Object.keys(card.args).length === 0) return [];
  const digest = createHash('sha256').update(JSON.stringify(card.args)).digest('hex');
  return [
    ...card.changes.flatMap((change) => changeLines(change, style)),
    style.dim('  with the arguments'),
    ...(card.fields.length === 0 ? [`    ${style.dim('none')}`] : card.fields.flatMap((field) => fieldLines(field, '    ', style))),
    style.dim(`  sha256 ${digest}`),
  ];
}

function fieldLines(field: CardField, indent: string, style: TextStyle): readonly string[] {
  const { name, title, description, format, isExtra, value, origins = [], notes = [] } = field;
  const marks = [
    ...(title === undefined ? [] : [safe(title)]),
    ...(value.kind === 'code' ? [value.language] : []),
    ...(format === undefined ? [] : [safe(format)]),
    ...(description === undefined ? [] : [safe(description, 200)]),
  ];
  const about = marks.length === 0 ? '' : style.dim(` (${marks.join(', ')})`);
  const label = `${indent}${style.bold(safe(name))}${about}:`;
  return [
    ...valueLines(label, value, indent, style),
    ...(isExtra === true ? [style.yellow(`${indent}  not in the tool's schema`)] : []),
    ...origins.map((from) => style.yellow(`${indent}  also found in ${safe(from)}, which is untrusted`)),
    ...notes.map((note) => style.yellow(`${indent}  ${safe(note)}`)),
  ];
}

function valueLines(label: string, value: FieldValue, indent: string, style: TextStyle): readonly string[] {
  if (value.kind === 'fields') return [label, ...value.fields.flatMap((field) => fieldLines(field, `${indent}  `, style))];
  if (value.text === '') return [`${label} ${style.dim('(empty)')}`];
  if (value.text.length <= shortText && !value.text.includes('\n')) return [`${label} ${whole(value.text)}`];
  // The bar keeps a line of a text from posing as a line of the card.
  return [
    label,
    ...whole(value.text)
      .split('\n')
      .map((line) => `${indent}${style.dim('│')} ${line}`),
  ];
}

function whole(text: string): string {
  return toTerminalText(text, { maxLine: Infinity, maxLines: Infinity });
}

const verbs: Readonly<Record<FileChange['kind'], string>> = {
  create: 'creates',
  replace: 'replaces',
  edit: 'changes',
  delete: 'deletes',
  move: 'moves',
  unchanged: 'leaves as it is:',
};

function changeLines({ kind, path, to, lines, problem }: FileChange, style: TextStyle): readonly string[] {
  const where = path === '' ? '' : `${verbs[kind]} ${safe(path, 1_000)}${to === undefined ? '' : ` to ${safe(to, 1_000)}`}`;
  return [
    ...(where === '' ? [] : [`  ${style.bold(where)}`]),
    ...(problem === undefined ? [] : [style.yellow(`  ${safe(problem, 2_000)}`)]),
    ...lines.map((line) => `    ${diffLine(line, style)}`),
  ];
}

function diffLine({ kind, text }: ChangedLine, style: TextStyle): string {
  switch (kind) {
    case 'added':
      return style.green(`+ ${whole(text)}`);
    case 'removed':
      return style.red(`- ${whole(text)}`);
    case 'same':
      return `  ${whole(text)}`;
    case 'gap':
      return style.dim(`@ ${countText(Number(text), 'line')} the same`);
    case 'note':
      return style.dim(`@ ${text}`);
  }
}
