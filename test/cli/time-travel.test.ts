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

it(
  'a replay takes its answers from a recording, calls no model, and stops at the turn that is not in it',
  { timeout: 240_000 },
  async () => {
    const cwd = await starterFolder();
    const cli = (...words: readonly string[]) => runCli(words, { cwd });
    expect((await cli('run', 'How do I water tomatoes?', '--quiet')).code).toBe(0);
    const [source] = JSON.parse((await cli('runs', '--json')).out) as readonly { readonly runId: string }[];
    const runId = source?.runId ?? '';
    await editedTeam(cwd, 'Complete the modules whose deliverables are good', 'Complete every module');
    const replay = ['replay', runId, '--profiles', 'edited', '--from', 'Lead_1.t3', '--json'];
    const first = await cli(...replay);
    expect(first.code).toBe(0);
    const { runId: firstId } = JSON.parse(first.out.split('\n')[0] ?? '') as { readonly runId: string };
    expect((await cli('record', 'last', '-o', 'again.jsonl')).code).toBe(0);

    // No model could answer: its script is gone.
    const script = path.join(cwd, 'edited/scripts/offline.yaml');
    await writeFile(script, 'name: offline\nrules: []\notherwise: Something else.\n');
    const answered = await cli(...replay, '--recording', 'again.jsonl');
    expect(answered.code, answered.err).toBe(0);
    expect(answered.err).toContain('The replay took 2 model calls');
    const events = answered.out
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { readonly type: string; readonly runId?: string; readonly reply?: { readonly text: string } },
      );
    const replies = events.flatMap(({ type, reply }) => (type === 'model.end' ? [reply?.text] : []));
    expect(replies).toEqual([
      expect.stringMatching(/^The researchers brought \d+ passages\.$/),
      expect.stringMatching(/^# How do I water tomatoes\?/),
    ]);
    const compared = await cli('compare', firstId, events[0]?.runId ?? '');
    expect(compared.code, compared.out).toBe(0);

    // Another edit asks something that is not in the recording.
    const lead = path.join(cwd, 'edited/profiles/Lead.yaml');
    await writeFile(lead, (await readFile(lead, 'utf8')).replace('Complete every module', 'Complete no module'));
    const stopped = await cli(...replay.slice(0, -1), '--recording', 'again.jsonl');
    expect(stopped.code).toBe(1);
    const said = `${stopped.out}${stopped.err}`.replaceAll(/\s+/g, ' ');
    expect(said).toMatch(
      /The answer is not in again\.jsonl: no model call of Lead asks this; compared with call 3 \(line \d+\), the system prompt differs from character \d+ on/,
    );
    expect(said).toMatch(
      /The replay stopped in turn Lead_1\.t3, which again\.jsonl does not answer\. Ask the model from there: .* fork run_\w+ --before Lead_1\.t3 Then record that run: .* record last -o FILE/,
    );

    const none = await cli(...replay, '--recording', 'nowhere.jsonl');
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('the recording nowhere.jsonl cannot be read')]);
    const both = await cli(...replay, '--recording', 'again.jsonl', '--stop');
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('--stop starts nothing')]);
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
