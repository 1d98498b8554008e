import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/core/ids.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { runCli, temporaryFolder, writeStarter } from './cli-process.ts';

let master = '';

// One run for all tests: each works on a copy.
beforeAll(async () => {
  master = await mkdtemp(path.join(tmpdir(), 'cadre-cli-'));
  await writeStarter(master);
  const { code, err } = await runCli(['run', '--docs', 'docs', '--quiet', 'How do I water tomatoes?'], { cwd: master });
  expect(code, err).toBe(0);
});
afterAll(() => rm(master, { recursive: true, force: true }));

async function copy(): Promise<{
  readonly cwd: string;
  readonly cadre: (...words: readonly string[]) => ReturnType<typeof runCli>;
}> {
  const cwd = await temporaryFolder();
  await cp(master, cwd, { recursive: true });
  return { cwd, cadre: (...words) => runCli(words, { cwd }) };
}

describe('cadre runs prune', () => {
  it('erases nothing that is younger, open, or only listed, and says how to go on', async () => {
    const { cadre } = await copy();
    expect((await cadre('runs', 'prune', '--older-than', '30d', '--idle')).out).toBe('No run is that old: nothing to erase.\n');
    expect((await cadre('runs', 'prune', '--older-than', '0m')).out).toBe(
      'No run is that old: nothing to erase. 1 run of that age only waits for a message: add --idle to erase it.\n',
    );
    const dry = await cadre('runs', 'prune', '--older-than', '0m', '--idle', '--dry-run');
    expect(dry.out).toMatch(
      /^ {2}run_\w+ {2}idle, \d{4}-\d\d-\d\d {2}How do I water tomatoes\?\nNothing was erased \(--dry-run\)\.\n$/,
    );
    const unasked = await cadre('runs', 'prune', '--older-than', '0m', '--idle');
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringMatching(/no terminal to ask on: add --yes/)]);
    expect((await cadre('runs')).out).toContain('How do I water tomatoes?');
  });

  it('erases a run, its texts in the file, its note and its workspace; a link is removed, not followed', async () => {
    const { cwd, cadre } = await copy();
    const [{ runId = '' } = {}] = JSON.parse((await cadre('runs', '--json')).out) as readonly { readonly runId?: string }[];
    const beside = path.join(cwd, '.cadre');
    const secret = (await readFile(path.join(beside, 'journal.db'))).includes('You lead a small research team');
    await writeFile(path.join(cwd, 'kept.txt'), 'kept');
    await rm(path.join(beside, 'workspaces'), { recursive: true, force: true });
    await cp(path.join(cwd, 'docs'), path.join(beside, 'workspaces', runId), { recursive: true });
    await symlink(cwd, path.join(beside, 'workspaces', runId, 'out'));
    const pruned = await cadre('runs', 'prune', '--older-than', '0m', '--idle', '--yes', '--workspaces', '--json');
    expect(pruned.code, pruned.err).toBe(0);
    const told: unknown = JSON.parse(pruned.out);
    expect(told).toMatchObject({ runIds: [runId], held: [], workspaces: 1, dryRun: false, texts: expect.any(Number) as number });
    expect((await cadre('runs')).out).toBe('No runs.\n');
    expect(await readdir(path.join(beside, 'workspaces'))).toEqual([]);
    expect(await readdir(path.join(beside, 'runs'))).toEqual([]);
    expect(await readFile(path.join(cwd, 'kept.txt'), 'utf8')).toBe('kept');
    expect(secret).toBe(true);
    expect((await readFile(path.join(beside, 'journal.db'))).includes('You lead a small research team')).toBe(false);
    // The journal is whole.
    const again = await cadre('run', '--docs', 'docs', '--quiet', 'How do I water tomatoes?');
    expect(again.code, again.err).toBe(0);
  });

  it('after an interrupted call, the next one erases the texts that are left, though no run is old enough', async () => {
    const { cwd, cadre } = await copy();
    const [{ runId = '' } = {}] = JSON.parse((await cadre('runs', '--json')).out) as readonly { readonly runId?: string }[];
    expect((await cadre('delete', runId)).code).toBe(0);
    const file = path.join(cwd, '.cadre', 'journal.db');
    const journal = createSqliteJournal(file);
    await journal.erase?.(runId as RunId);
    await journal.close();
    expect((await readFile(file)).includes('You lead a small research team')).toBe(true);
    const next = await cadre('runs', 'prune', '--older-than', '30d');
    expect(next.out, next.err).toMatch(
      /^No run is that old\. Erased \d+ texts of runs that an interrupted call had erased before\.\n$/,
    );
    expect((await readFile(file)).includes('You lead a small research team')).toBe(false);
    expect((await cadre('runs', 'prune', '--older-than', '30d')).out).toBe('No run is that old: nothing to erase.\n');
  });

  it('refuses an age it does not understand, and creates no journal', async () => {
    const cwd = await temporaryFolder();
    const bad = await runCli(['runs', 'prune', '--older-than', '1 month'], { cwd });
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('write a number and m, h, d or w, like 12h, 30d or 8w')]);
    const none = await runCli(['runs', 'prune'], { cwd });
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("'--older-than <age>' not specified")]);
    const missing = await runCli(['runs', 'prune', '--older-than', '1d', '--yes'], { cwd });
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('there is no journal')]);
    expect(await readdir(cwd)).toEqual([]);
  });
});
