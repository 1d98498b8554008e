import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { RunId } from '../../src/core/ids.ts';
import type { RunsFilter } from '../../src/core/events/journal.ts';
import { listStatement } from '../../src/journal/sqlite/list-statement.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { storePath } from '../scenarios/scenario.ts';

/** Opens and closes a journal file. */
async function opened(file: string, readOnly = false): Promise<void> {
  await createSqliteJournal(file, { readOnly }).close();
}

function indexesOf(database: DatabaseSync): readonly unknown[] {
  return database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'runs_%' ORDER BY name`).all();
}

const both = [{ name: 'runs_newest' }, { name: 'runs_open' }];

it.each<[string, RunsFilter, RegExp]>([
  ['the newest', { limit: 5 }, /SCAN runs USING INDEX runs_newest/],
  ['unfinished', { isOpen: true }, /SCAN runs USING INDEX runs_open/],
  ['one', { runId: 'run_1' as RunId }, /SEARCH runs USING INDEX sqlite_autoindex_runs_1/],
  ['those of a project', { project: 'a' }, /SEARCH runs USING INDEX sqlite_autoindex_runs_1/],
  ['deleted', { isDeleted: true }, /SEARCH runs USING INDEX sqlite_autoindex_runs_1/],
])('a list of %s runs reads the runs that it shows, by an index', async (_, filter, plan) => {
  const file = await storePath();
  await opened(file);
  const database = new DatabaseSync(file, { readOnly: true });
  const text = listStatement(filter, { marks: 'marks', owners: 'owners' });
  const steps = database
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(({ detail }) => String(detail));
  database.close();
  expect(steps.join('\n')).toMatch(plan);
  expect(steps.filter((step) => /SCAN (runs|commits|leases)(?! USING)/.test(step))).toEqual([]);
});

it('a file of an earlier version gets the indexes when it is opened for writing, and is read as it is', async () => {
  const file = await storePath();
  await opened(file);
  const database = new DatabaseSync(file);
  expect(indexesOf(database)).toEqual(both);
  database.exec('DROP INDEX runs_newest; DROP INDEX runs_open');
  await opened(file, true);
  expect(indexesOf(database)).toEqual([]);
  database.exec('BEGIN IMMEDIATE');
  await opened(file);
  expect(indexesOf(database)).toEqual([]);
  database.exec('COMMIT');
  await opened(file);
  expect(indexesOf(database)).toEqual(both);
  database.close();
});
