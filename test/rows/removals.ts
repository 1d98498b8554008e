import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const folder = path.join(import.meta.dirname, 'removed');

/** A patch that removes the mechanism of some rows of the requirements. */
export interface Removal {
  readonly name: string;
  /** The rows whose citing tests must notice; from the line `rows: …` at the top of the patch. */
  readonly rows: readonly string[];
  readonly text: string;
}

/** The names of the patches, one or more per group of rows. */
export async function removals(): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.patch')).toSorted();
}

/** Reads a patch; throws when it does not say which rows it is about. */
export async function readRemoval(name: string): Promise<Removal> {
  const text = await readFile(path.join(folder, name), 'utf8');
  const [, listed = ''] = /^rows: (.+)$/m.exec(text) ?? [];
  const rows = listed.split(' ').filter((row) => row !== '');
  if (rows.length === 0) throw new Error(`${name} begins with no line "rows: …"`);
  return { name, rows, text };
}
