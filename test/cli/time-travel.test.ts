import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, starterFolder } from './cli-process.ts';

/** Copies the starter team and edits the text of one of its profiles. */
async function editedTeam(cwd: string, before: string, after: string): Promise<void> {
  await cp(path.join(cwd, 'agent_profiles'), path.join(cwd, 'edited'), { recursive: true });
  const file = path.join(cwd, 'edited/profiles/Lead.yaml');
  const text = await readFile(file, 'utf8');
  expect(text).toContain(before);
  await writeFile(file, text.replace(before, after));
}

it(
  'an author sees which turns an edit changes, replays from the first one, and compares the two runs',
  { timeout: 120_000 },
  async () => {
    const cwd = await starterFolder();
    const cli = (...words: readonly string[]) => runCli(words, { cwd });
    expect((await cli('run', 'How do I water tomatoes?', '--quiet')).code).toBe(0);
    const [source] = JSON.parse((await cli('runs', '--json')).out) as readonly { readonly runId: string }[];
    const runId = source?.runId ?? '';

    const same = await cli('rerender', 'last');
    expect([same.code, same.out]).toEqual([0, `8 turns of ${runId} re-rendered: 8 the same, 0 differ\n`]);
    await editedTeam(cwd, 'Complete the modules whose deliverables are good', 'Complete every module');
    const differ = await cli('rerender', 'last', '--profiles', 'edited');
    expect(differ.code).toBe(1);
    expect(differ.out).toContain('Lead: segment role  4 turns');
    expect(differ.out).toMatch(
      /~ segment role \(static_text\) edited\/profiles\/Lead\.yaml:\d+\n {4}- 3\. Complete the modules[^\n]*\n {4}\+ 3\. Complete every module/,
    );
    const [noRun, noTeam] = await Promise.all([cli('rerender', 'nowhere'), cli('rerender', 'last', '--profiles', 'nowhere')]);
    expect([noRun.code, noTeam.code]).toEqual([2, 2]);
    expect(noTeam.err).toContain("there is no folder 'nowhere' here");

    const stop = await cli('replay', runId, '--profiles', 'edited', '--from', 'Lead_1.t3', '--stop');
    expect([stop.code, stop.out]).toEqual([
      1,
      expect.stringMatching(/^6 turns keep their recorded answers\. The first that differs is Lead_1\.t3 \(system prompt\)/),
    ]);
    const replay = await cli('replay', runId, '--profiles', 'edited', '--from', 'Lead_1.t3', '--json');
    expect(replay.code, replay.err).toBe(0);
    const events = replay.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string; readonly runId?: string });
    expect(events[0]).toMatchObject({ type: 'run.resume' });
    expect(replay.err).toContain('The replay took 2 model calls');

    const compared = await cli('compare', runId, events[0]?.runId ?? '');
    expect(compared.code).toBe(1);
    expect(compared.out).toContain('cause: profile text, segment role is written differently');
  },
);

it('the state at a turn, one value with its patches, and what is not there', async () => {
  const cwd = await starterFolder();
  const cli = (...words: readonly string[]) => runCli(words, { cwd });
  expect((await cli('run', 'How do I water tomatoes?', '--quiet')).code).toBe(0);
  const value = await cli('state', 'last', 'team.work_modules.WM_1.status', '--at', 'Lead_1.t1', '--json');
  expect(JSON.parse(value.out)).toMatchObject({ value: 'pending', changes: [{ by: 'manage_work_modules', turnId: 'Lead_1.t1' }] });
  const missing = await cli('state', 'last', 'team.work_modules.WM_9');
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("no 'WM_9' below 'team.work_modules'")]);
});
