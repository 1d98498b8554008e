import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The folders a run works on; facts of this machine, so they are kept beside the journal and not in it. */
export interface WorkNote {
  /** Absent for a run that works on no documents. */
  readonly docs?: string;
  readonly out: string;
}

/** Notes the folders of a run beside its journal. A run in memory leaves no note. */
export async function writeWorkNote(store: string, runId: string, note: WorkNote): Promise<void> {
  if (store === 'memory') return;
  const file = noteFile(store, runId);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(note, null, 2)}\n`);
}

/** The noted folders of a run; undefined when there is no readable note, which `--docs` and `--out` make up for. */
export async function readWorkNote(store: string, runId: string): Promise<WorkNote | undefined> {
  if (store === 'memory') return undefined;
  try {
    const note: unknown = JSON.parse(await readFile(noteFile(store, runId), 'utf8'));
    return isWorkNote(note) ? note : undefined;
  } catch {
    return undefined;
  }
}

function noteFile(store: string, runId: string): string {
  return path.join(path.dirname(path.resolve(store)), 'runs', `${runId}.json`);
}

function isWorkNote(value: unknown): value is WorkNote {
  return (
    typeof value === 'object' &&
    value !== null &&
    (!('docs' in value) || typeof value.docs === 'string') &&
    'out' in value &&
    typeof value.out === 'string'
  );
}
