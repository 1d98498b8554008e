import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { EngineFolder } from '../../files/engine-folder.ts';
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
  await folderOfNotes(store).write(noteName(runId), `${JSON.stringify(note, null, 2)}\n`);
}

/** Reads the noted folders of a run; undefined without a readable note (`--docs` and `--out` then name the folders). */
export async function readFoldersNote(store: string, runId: string): Promise<FoldersNote | undefined> {
  if (store === 'memory') return undefined;
  try {
    const read = await folderOfNotes(store).read(noteName(runId), maxNoteBytes);
    const note: unknown = read === undefined ? undefined : readJson(read.text);
    return isFoldersNote(note) ? note : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the note of a run, if it has one. */
export async function removeFoldersNote(store: string, runId: string): Promise<void> {
  await folderOfNotes(store).remove(noteName(runId));
}

function noteName(runId: string): string {
  // The id comes from the journal, and becomes part of a path.
  if (!/^\w[\w.-]{0,199}$/.test(runId)) throw unusableNote(JSON.stringify(runId.slice(0, 60)), 'it is not a run id');
  return `${runId}.json`;
}

/** Returns the folder of the notes beside a journal. */
function folderOfNotes(store: string): EngineFolder {
  return new EngineFolder(path.dirname(path.resolve(store)), ['runs']);
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
