import { readFileSync, statSync } from 'node:fs';
import { isJsonObject } from '../../core/json.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { maxFileBytes } from '../../profiles/files/file-limits.ts';
import type { RecordedRun } from '../runs/recorded-run.ts';

const shownHash = 8;

/**
 * Returns lines that name the files of an answer which differ on disk from the version that the run has: line numbers are those of that
 * version. Empty when all are the same, or not here.
 */
export function changedFiles({ state, files }: Pick<RecordedRun, 'state' | 'files'>, answers: unknown): string {
  const recorded = new Map(files.map(({ path, text }) => [path, text]));
  const version = state.meta.profiles.slice(0, shownHash);
  return [...filesIn(answers)]
    .toSorted()
    .flatMap((file) => {
      const before = recorded.get(file);
      const now = before === undefined ? undefined : textOf(file);
      if (now === undefined || now === before) return [];
      return [`${safe(file, 500)} has changed since; lines are those of the run's profiles (version ${version}).\n`];
    })
    .join('');
}

/** Returns the files of all places in a value: `{ file, line, … }`. */
function filesIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const part of value as readonly unknown[]) filesIn(part, found);
  else if (isJsonObject(value)) {
    if (typeof value['file'] === 'string' && typeof value['line'] === 'number') found.add(value['file']);
    for (const part of Object.values(value)) filesIn(part, found);
  }
  return found;
}

function textOf(file: string): string | undefined {
  try {
    // The journal names the file: it may be anything, such as a pipe that never ends.
    const stats = statSync(file);
    return stats.isFile() && stats.size <= maxFileBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    // The profiles are elsewhere: nothing can be said about them.
    return undefined;
  }
}
