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
