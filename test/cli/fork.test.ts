import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, starterFolder } from './cli-process.ts';

async function listedRuns(cwd: string): Promise<readonly { readonly runId: string }[]> {
  return JSON.parse((await runCli(['runs', '--json'], { cwd })).out) as readonly { readonly runId: string }[];
}

it('fork goes on with a run that is over or not in a new one, from a turn that is named', async () => {
  const cwd = await starterFolder();
  const first = await runCli(['run', 'What is here?', '--quiet'], { cwd });
  expect(first.code, first.err).toBe(0);
  const [original] = await listedRuns(cwd);
  expect((await runCli(['run', 'And there?', '--quiet'], { cwd })).code).toBe(0);
  const forked = await runCli(['fork', original?.runId ?? '', '--at', 'Lead_1.t1', 'And now?', '--json'], { cwd });
  expect(forked.code, forked.err).toBe(0);
  const lines = forked.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string; readonly [key: string]: unknown });
  expect(lines[0]).toMatchObject({ type: 'run.resume' });
  expect(lines[1]).toMatchObject({ type: 'inbox.add', item: { payload: { prompt: 'And now?' } } });
  expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'awaiting' });
  const [newest] = await listedRuns(cwd);
  expect(lines.at(-1)?.['runId']).toBe(newest?.runId);
  const missing = await runCli(['fork', 'last', '--at', 't99'], { cwd });
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("has no turn 't99'")]);
});

it('a fork has its own folder for reports, so that it can be forked again and the reports of the original stay', async () => {
  const cwd = await starterFolder();
  const first = await runCli(['run', 'What is here?', '--quiet'], { cwd });
  expect(first.code, first.err).toBe(0);
  const original = await notes(cwd);
  const forked = await runCli(['fork', 'last', '--at', 'Lead_1.t1', 'And now?', '--quiet'], { cwd });
  expect(forked.code, forked.err).toBe(0);
  const both = await notes(cwd);
  expect(Object.keys(both)).toHaveLength(2);
  for (const [runId, { out }] of Object.entries(both)) expect(out).toBe(path.join(await realpath(cwd), '.cadre', 'reports', runId));

  const named = await runCli(['fork', 'last', '--at', 'Lead_1.t1', 'And now?', '--quiet', '--out', 'elsewhere'], { cwd });
  expect(named.code, named.err).toBe(0);
  expect(await notes(cwd)).toMatchObject({ ...original, ...both });
});

interface Note {
  readonly out: string;
}

/** Reads the notes beside the journal, by run. */
async function notes(cwd: string): Promise<Readonly<Record<string, Note>>> {
  const folder = path.join(cwd, '.cadre', 'runs');
  const read = async (name: string) => JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Note;
  const names = await readdir(folder);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [path.basename(name, '.json'), await read(name)] as const)),
  );
}
