import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { nanoid } from 'nanoid';
import { CadreError } from '../../core/error.ts';
import { readJson } from '../../core/read-json.ts';

/** Folders of a run. They are facts of this machine, so they are stored beside the journal, not in it. */
export interface FoldersNote {
  /** Absent for a run without documents. */
  readonly docs?: string;
  readonly out: string;
}

/** Maximum size of a note, in bytes. */
const maxNoteBytes = 100_000;

/** Writes the folders of a run beside its journal, following no link. Writes nothing for a run in memory. */
export async function writeFoldersNote(store: string, runId: string, note: FoldersNote): Promise<void> {
  if (store === 'memory') return;
  const file = noteFile(store, runId);
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  if (!(await lstat(folder)).isDirectory()) throw unusableNote(folder, 'it is a link; remove it');
  const part = `${file}.${nanoid()}.part`;
  try {
    await writeFile(part, `${JSON.stringify(note, null, 2)}\n`, { flag: 'wx' });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

/** Reads the noted folders of a run; undefined without a readable note (`--docs` and `--out` then name the folders). */
export async function readFoldersNote(store: string, runId: string): Promise<FoldersNote | undefined> {
  if (store === 'memory') return undefined;
  try {
    const file = noteFile(store, runId);
    const found = await lstat(file);
    // Reading a pipe would never end, and a link could lead anywhere.
    if (!found.isFile() || found.size > maxNoteBytes) return undefined;
    const note: unknown = readJson(await readFile(file, 'utf8'));
    return isFoldersNote(note) ? note : undefined;
  } catch {
    return undefined;
  }
}

function noteFile(store: string, runId: string): string {
  // The id comes from the journal, and becomes part of a path.
  if (!/^\w[\w.-]{0,199}$/.test(runId)) throw unusableNote(JSON.stringify(runId.slice(0, 60)), 'it is not a run id');
  return path.join(folderOfNotes(store), `${runId}.json`);
}

/** Returns the folder of the notes beside a journal. */
export function folderOfNotes(store: string): string {
  return path.join(path.dirname(path.resolve(store)), 'runs');
}

function unusableNote(what: string, why: string): CadreError {
  return new CadreError('STORE_FAILED', `${what} cannot be used for notes of runs: ${why}`);
}

function isFoldersNote(value: unknown): value is FoldersNote {
  return (
    typeof value === 'object' &&
    value !== null &&
    (!('docs' in value) || typeof value.docs === 'string') &&
    'out' in value &&
    typeof value.out === 'string'
  );
}
