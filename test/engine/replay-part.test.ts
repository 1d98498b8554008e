import { describe, expect, it } from 'vitest';
import type { ForkOptions } from '../../src/engine/launch-options.ts';
import type { Recording } from '../../src/core/recording/recording.ts';
import { planReplay } from '../../src/inspect/rerender/plan-replay.ts';
import { createMemoryJournal, parseRecording } from '../../src/testing/index.ts';
import { engineOver } from '../support/engine-over.ts';
import { profileFiles, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const profile = `
tool_access_policy: { allowed_individual_tools: [send] }
system_prompt_construction:
  system_prompt_segments:
    - { id: role, type: static_text, order: 1, content: You work. }
    - { id: late, type: static_text, order: 2, condition: counters.turn_count > 0, content: Hurry. }
${waitsForUser}`;

let sent = 0;
const send = { name: 'send', description: 'Sends.', parameters: { type: 'object' }, execute: () => `Sent ${++sent}.` };

async function recorded() {
  const store = createMemoryJournal();
  const first = await engineOver(store, {
    profile,
    tools: [send],
    replies: [{ toolCalls: [{ name: 'send', args: {} }] }, { text: 'It is sent.' }],
  });
  const run = await first.launch('Send it.');
  await run.settled();
  const events = await store.read(run.id);
  const plan = async (edited: string, from?: string) => {
    const result = await first.engine.rerender(run.id, { profiles: { files: profileFiles(edited) } });
    return { ...planReplay(events, result, from), unsafe: result.runs[0]?.unsafeTools };
  };
  return { store, run, plan };
}

const late = profile.replace('Hurry.', 'Take your time.');
const asked = `${profile}tool_gates: [{ id: ask, tools: [send], verdict: ask }]\n`;

describe('a partial replay', () => {
  it('leaves the record at the first turn that differs, and says what that took', async () => {
    const { plan } = await recorded();
    expect(await plan(profile)).toMatchObject({ kept: 2, first: undefined, recorded: { turns: 0 }, unsafe: ['send'] });
    expect(await plan(late)).toMatchObject({
      kept: 1,
      first: { turnId: 'Root_1.t2' },
      recordedAnswers: [],
      recorded: { turns: 1 },
    });
    expect(await plan(late.replace('You work.', 'You play.'))).toMatchObject({ kept: 0, first: { turnId: 'Root_1.t1' } });
    // Turns before `from` keep their answers, whatever the profiles say now.
    expect(await plan(late.replace('You work.', 'You play.'), 'Root_1.t2')).toMatchObject({
      kept: 1,
      first: { turnId: 'Root_1.t2' },
    });
    await expect(plan(late, 'Root_1.t9')).rejects.toThrow(/no turn 'Root_1\.t9'; it has Root_1\.t1, Root_1\.t2/);
  });

  it('goes on from there: recorded answers are kept, no tool before it runs again, the model is called for the rest', async () => {
    const { store, run, plan } = await recorded();
    const before = sent;
    const { first } = await plan(late);
    const { engine, model } = await engineOver(store, { profile: late, tools: [send], replies: [{ text: 'Done.' }] });
    const replay = await engine.fork(run.id, { before: first?.turnId ?? '', profiles: 'current' });
    await replay.settled();
    expect(replay.turns().map(({ reply }) => reply.text)).toEqual(['', 'Done.']);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]?.prompt)).toContain('Take your time.');
    expect(sent).toBe(before);
    await verifyRun(replay, store, {});
  });

  it('decides a turn whose prompt is the same again on its recorded answer, without a model call', async () => {
    const { store, run, plan } = await recorded();
    const before = sent;
    const { first, recordedAnswers } = await plan(asked);
    expect([first?.parts, recordedAnswers]).toEqual([['gates'], ['Root_1.t1']]);
    const { engine, model } = await engineOver(store, { profile: asked, tools: [send], replies: [{ text: 'Allowed.' }] });
    const replay = await engine.fork(run.id, { before: first?.turnId ?? '', profiles: 'current', recordedAnswers });
    await replay.settled();
    expect(replay.pending).toMatchObject([{ kind: 'approval', tool: 'send' }]);
    expect([model.requests.length, sent]).toEqual([0, before]);
    expect(replay.turn('Root_1.t1')?.reply.toolCalls).toMatchObject([{ name: 'send', callId: 'c00000001' }]);
    await replay.approve(replay.pending[0]?.id ?? '');
    await replay.settled();
    expect([model.requests.length, sent, replay.turns().at(-1)?.reply.text]).toEqual([1, before + 1, 'Allowed.']);
    await verifyRun(replay, store, {});
  });

  it('answers from a recording by what is asked: no model is called and no tool runs, wherever the fork begins', async () => {
    const { store, run } = await recorded();
    const made = await engineOver(store, { profile: late, tools: [send], replies: [{ text: 'Done.' }] });
    const once = await made.engine.fork(run.id, { before: 'Root_1.t2', profiles: 'current' });
    await once.settled();
    const replay: Recording = { ...parseRecording(await once.recording(), 'once.jsonl'), find: 'prompt' };
    const before = sent;
    const { engine, model } = await engineOver(store, { profile: late, tools: [send], replies: [], replay });
    const forks: ForkOptions[] = [
      { before: 'Root_1.t2' },
      { before: 'Root_1.t1' },
      // This turn is decided again without a model call: the result of its call is found by its arguments.
      { before: 'Root_1.t1', recordedAnswers: ['Root_1.t1'] },
    ];
    for (const options of forks) {
      const fork = await engine.fork(run.id, { ...options, profiles: 'current' });
      await fork.settled();
      expect(fork.turns().map(({ reply, error }) => error?.message ?? reply.text)).toEqual(['', 'Done.']);
      expect([model.requests.length, sent]).toEqual([0, before]);
      await verifyRun(fork, store, {});
    }
    // By place, the first call of a fork would be the first of the recording.
    const byPlace = await engineOver(store, { profile: late, tools: [send], replies: [], replay: { ...replay, find: 'place' } });
    const wrong = await byPlace.engine.fork(run.id, { before: 'Root_1.t2', profiles: 'current' });
    await wrong.settled();
    expect(wrong.turns().at(-1)?.error?.message).toMatch(/^The run is not the one in once\.jsonl: model call 1 of Root/);
  });

  it('names the nearest answer of a recording that does not hold what is asked', async () => {
    const { store, run } = await recorded();
    const replay: Recording = { ...parseRecording(await run.recording(), 'run.jsonl'), find: 'prompt' };
    const { engine } = await engineOver(store, { profile: late, tools: [send], replies: [], replay });
    const fork = await engine.fork(run.id, { before: 'Root_1.t2', profiles: 'current' });
    await fork.settled();
    const { error } = fork.turns().at(-1) ?? {};
    expect(error?.code).toBe('REPLAY_MISMATCH');
    expect(error?.message).toMatch(
      /^The answer is not in run\.jsonl: no model call of Root asks this; compared with call 2 \(line 5\), the system prompt differs from character \d+ on: recorded ".*Hurry\.", now ".*Take your time\."\. If that is meant, record it again\.$/s,
    );
  });

  it('refuses recorded answers that are not there', async () => {
    const { store, run } = await recorded();
    const { engine } = await engineOver(store, { profile, tools: [send] });
    await expect(engine.fork(run.id, { recordedAnswers: ['Root_1.t9'] })).rejects.toThrow(
      /no recorded reply of a turn 'Root_1\.t9'/,
    );
  });
});
