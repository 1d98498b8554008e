import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { statusWord, waitsForYou } from '../../inspect/run-words.ts';
import { isServerStore } from '../options/server-store.ts';
import { storePath } from '../options/store-path.ts';
import { openRecords } from '../runs/recorded-run.ts';
import { type Finding, failed, note, ok, problem } from './finding.ts';

/** Free space below which a journal may soon fail to grow, in bytes. */
const littleSpace = 1_000_000_000;

/** Checks that the journal can be read and written, and names runs that someone should look at. */
export async function checkJournal(store: string | undefined): Promise<readonly Finding[]> {
  if (isServerStore(store)) return await checkServer(store);
  const file = storePath(store);
  const space = await spaceFinding(file);
  if (!existsSync(file)) return [ok('journal', `none yet; the first run creates ${path.relative('', file) || file}`), ...space];
  try {
    accessSync(file, constants.W_OK);
  } catch (thrown) {
    return [problem('journal', `${file} cannot be written: ${describeThrown(thrown)}`, 'correct its permissions')];
  }
  try {
    const journal = await openRecords(store);
    try {
      const runs = await journal.runs();
      const megabytes = (statSync(file).size / 1e6).toFixed(1);
      const found = `${path.relative('', file) || file}: ${countText(runs.length, 'run')}, ${megabytes} MB`;
      return [ok('journal', found), ...runFindings(runs.map(statusWord)), ...space];
    } finally {
      await journal.close();
    }
  } catch (thrown) {
    return [failed('journal', thrown), ...space];
  }
}

/** Connects to the server; a schema that no run has been written to yet is not there. */
async function checkServer(store: string): Promise<readonly Finding[]> {
  try {
    const journal = await openRecords(store);
    try {
      const runs = await journal.runs();
      return [ok('journal', `${journal.location}: ${countText(runs.length, 'run')}`), ...runFindings(runs.map(statusWord))];
    } finally {
      await journal.close();
    }
  } catch (thrown) {
    const { location, missing } = thrown instanceof CadreError ? thrown.details : {};
    if (typeof missing !== 'string') return [failed('journal', thrown)];
    return [ok('journal', `${String(location)}: none yet; the first run creates it`)];
  }
}

function runFindings(statuses: readonly string[]): readonly Finding[] {
  const interrupted = statuses.filter((status) => status === 'interrupted').length;
  const waiting = statuses.filter((status) => status === waitsForYou).length;
  return [
    ...(interrupted === 0 ? [] : [note('interrupted runs', `${interrupted}`, 'cadre resume --all')]),
    ...(waiting === 0 ? [] : [note('runs that wait for you', `${waiting}`, 'cadre runs, then cadre pending RUN')]),
  ];
}

async function spaceFinding(file: string): Promise<readonly Finding[]> {
  let folder = path.dirname(file);
  while (!existsSync(folder)) folder = path.dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= littleSpace) return [];
  return [
    note('disk', `${(free / 1e6).toFixed(0)} MB free for the journal`, 'make room: a run pauses when its journal cannot grow'),
  ];
}
