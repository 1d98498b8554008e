import type { DiffLine } from '../../src/inspect/turn/diff-lines.ts';
import type { DiffEntry, TurnDiff } from '../../src/inspect/turn/diff-turns.ts';
import type { PromptSpan } from '../../src/inspect/turn/prompt-spans.ts';
import { lineCutter } from '../kit/line-ranges.ts';

/** A row of a comparison: an equal stretch, the head of a piece, a line of it, or a gap. */
export type DiffRow =
  | { readonly kind: 'same'; readonly first: number; readonly count: number; readonly tokens: number; readonly isOpen: boolean }
  | { readonly kind: 'piece'; readonly mark: DiffEntry['kind']; readonly span: PromptSpan }
  | { readonly kind: 'line'; readonly mark: DiffLine['kind']; readonly text: string }
  | { readonly kind: 'gap'; readonly count: number };

/** Number of equal lines shown around a change. */
const around = 2;

/** Returns the rows of a comparison; `open` contains the expanded equal stretches, by their first entry. */
export function diffRows({ entries }: Pick<TurnDiff, 'entries'>, open: ReadonlySet<number>): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined) continue;
    if (entry.kind !== 'same') {
      rows.push({ kind: 'piece', mark: entry.kind, span: entry.span });
      if (entry.kind === 'changed') pushChanged(rows, entry.lines);
      else pushLines(rows, entry.kind, entry.span.text);
      continue;
    }
    const first = index;
    let tokens = entry.span.tokens;
    while (entries[index + 1]?.kind === 'same') tokens += entries[++index]?.span.tokens ?? 0;
    const isOpen = open.has(first);
    rows.push({ kind: 'same', first, count: index - first + 1, tokens, isOpen });
    if (isOpen) for (const { span } of entries.slice(first, index + 1)) pushLines(rows, 'same', span.text);
  }
  return rows;
}

/** Returns the rows of changed lines, with a few equal ones around them. */
export function lineRows(lines: readonly DiffLine[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  pushChanged(rows, lines);
  return rows;
}

function pushLines(rows: DiffRow[], mark: DiffLine['kind'], text: string): void {
  const cut = lineCutter(text);
  for (const { start, end } of cut(0, text.length)) rows.push({ kind: 'line', mark, text: text.slice(start, end) });
}

/** Adds changed lines with a few lines of context. */
function pushChanged(rows: DiffRow[], lines: readonly DiffLine[]): void {
  let left = 0;
  for (const [index, { kind, text }] of lines.entries()) {
    const isNear = lines.slice(Math.max(0, index - around), index + around + 1).some((line) => line.kind !== 'same');
    if (!isNear) {
      left += 1;
      continue;
    }
    if (left > 0) rows.push({ kind: 'gap', count: left });
    left = 0;
    pushLines(rows, kind, text === '' ? '\n' : text);
  }
  if (left > 0) rows.push({ kind: 'gap', count: left });
}
