import { diffLines } from 'diff';

/** A line of a comparison: only expected (`-`), only actual (`+`), both (` `), or a gap (`@`). */
export interface DiffedLine {
  readonly sign: '-' | '+' | ' ' | '@';
  readonly text: string;
}

/** Lines shown around a difference, and most lines shown at all. */
const context = 3;
const mostLines = 120;

/** Compares two texts line by line; equal lines far from a difference are left out. */
export function diffText(expected: string, actual: string): readonly DiffedLine[] {
  const lines = diffLines(closed(expected), closed(actual)).flatMap(({ added, removed, value }) => {
    const sign = added ? '+' : removed ? '-' : ' ';
    return value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffedLine => ({ sign, text }));
  });
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== ' '),
  );
  const shown: DiffedLine[] = [];
  let left = 0;
  for (const [index, line] of lines.entries()) {
    if (isNear[index] !== true) {
      left += 1;
      continue;
    }
    if (left > 0) shown.push({ sign: '@', text: `${left} equal line${left === 1 ? '' : 's'}` });
    left = 0;
    shown.push(line);
  }
  if (left > 0) shown.push({ sign: '@', text: `${left} equal line${left === 1 ? '' : 's'}` });
  if (shown.length <= mostLines) return shown;
  return [...shown.slice(0, mostLines), { sign: '@', text: `${shown.length - mostLines} more lines` }];
}

function closed(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
