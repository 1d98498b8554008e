import { readPage, tableRows } from './read-markdown.ts';

/** A test that a row of docs/faults.md names: a file, and words of a title in it. */
export interface NamedTest {
  readonly file: string;
  readonly words: string;
}

/** One row of docs/faults.md. */
export interface FaultRow {
  readonly fault: string;
  readonly tests: readonly NamedTest[];
}

/** All rows of docs/faults.md, under the headings they stand below. */
export function faultRows(): readonly FaultRow[] {
  return tableRows(readPage('docs/faults.md').prose)
    .filter((cells) => cells.length > 1 && !['shown by', 'here'].includes(cells.at(-1) ?? ''))
    .map((cells) => ({
      fault: cells[0] ?? '',
      tests: [...(cells.at(-1) ?? '').matchAll(/`(test\/[^`]+)` "([^"]+)"/g)].map(([, file = '', words = '']) => ({ file, words })),
    }));
}
