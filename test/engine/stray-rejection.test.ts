import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { verifyRun } from '../support/verify-run.ts';
import { strayEngine } from './stray-child.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-stray-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('K13: a rejection that a tool leaves behind may cost its process, and never the run: it is resumed, the tool not repeated', async () => {
  const store = path.join(folder, 'journal.db');
  const child = spawnSync(process.execPath, [fileURLToPath(new URL('stray-child.ts', import.meta.url)), store], {
    encoding: 'utf8',
  });
  expect(child.status).toBe(1);
  expect(child.stderr).toContain('nobody waits for this');
  expect(child.stderr).toContain('stray-child.ts');
  const engine = await strayEngine(store, true);
  const run = await engine.resume(child.stdout.trim());
  expect(await run.result).toMatchObject({ status: 'completed', output: 'done' });
  expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'unknown' }]);
  await engine.close();
  const journal = createSqliteJournal(store, { readOnly: true });
  await verifyRun(run, journal);
  await journal.close();
});
