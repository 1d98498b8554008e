import { describe, expect, it } from 'vitest';
import { replayedPeople } from '../../src/engine/effects/replayed-people.ts';
import { loadProfiles } from '../../src/index.ts';
import { countingIds, createMemoryJournal, parseRecording, scriptedModel } from '../../src/testing/index.ts';
import { formatPending } from '../../src/cli/terminal/format-pending.ts';
import { type TestEngineOptions, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const look = tool('look', ({ n }) => `page ${String(n)}`, { effect: 'pure' });
const draw = tool('draw', () => 'drawn', { effect: 'pure' });
const fail = tool('fail', () => Promise.reject(new Error('no ink')), { effect: 'pure' });

function looks(n: number) {
  return { text: `Looking at ${n}.`, toolCalls: [{ name: 'look', args: { n } }] };
}

function team(checkpoints: string, replies: TestEngineOptions['replies'], more: Partial<TestEngineOptions> = {}) {
  const profile = `${allow('look', 'draw', 'fail')}checkpoints: [${checkpoints}]\n`;
  return testEngine({ profile, tools: [look, draw, fail], ...(replies === undefined ? {} : { replies }), ...more });
}

const everyTwo = '{ id: every_two, after_turns: 2, message: "{{ counters.turn_count }} turns. Go on?" }';

describe('[A4.3.checkpoint] [B.76] a checkpoint', () => {
  it('stops an agent every so many turns until a person says go on, which it reads', async () => {
    const { launch, engine, journal, model } = await team(everyTwo, [looks(1), looks(2), looks(3), looks(4), { text: 'Done.' }]);
    const run = await launch();
    await run.settled();
    expect(run.state.status).toBe('awaiting');
    const [asked] = run.pending;
    expect(asked).toMatchObject({
      id: expect.stringMatching(/^ask_[0-9a-zA-Z]+_[0-9a-zA-Z]{16}$/),
      kind: 'question',
      tool: '',
      schema: { enum: ['go on', 'end'] },
    });
    expect(asked?.message).toContain('2 turns. Go on?');
    expect(asked?.message).toContain('Root_1 said last: Looking at 2.');
    expect(asked?.message).toContain('- look({"n":2}) → page 2');
    await expect(run.answer(run.pending[0]?.id ?? '', 'maybe')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await run.answer(run.pending[0]?.id ?? '', 'go on');
    await run.settled();
    expect(run.turns()).toHaveLength(4);
    expect(JSON.stringify(model.requests[2]?.prompt.at(-1))).toContain('go on');
    // What its calls came to was kept for it meanwhile.
    expect(JSON.stringify(model.requests[2]?.prompt)).toContain('page 2');
    expect(run.pending).toMatchObject([{ message: expect.stringContaining('4 turns. Go on?') }]);
    await run.answer(run.pending[0]?.id ?? '', 'go on');
    expect(await run.result).toMatchObject({ status: 'completed', outcome: 'success', output: 'Done.' });
    await verifyRun(run, journal, { requests: model.requests });
    await engine.close();
  });

  it('lets a person end the agent with what there is, in an outcome that is no success', async () => {
    const { launch, engine, journal, model } = await team(everyTwo, [looks(1), looks(2)]);
    const run = await launch();
    await run.settled();
    await run.answer(run.pending[0]?.id ?? '', 'end');
    expect(await run.result).toMatchObject({ status: 'completed', outcome: 'checkpoint', output: 'Looking at 2.' });
    expect(run.pending).toEqual([]);
    const events = await verifyRun(run, journal, { requests: model.requests });
    expect(events.filter(({ type }) => type === 'turn.start')).toHaveLength(2);
    await engine.close();
  });

  it('is not passed by a message from before it asked, which waits for the answer', async () => {
    for (const priority of ['next', 'idle', 'now'] as const) {
      const begun = Promise.withResolvers<undefined>();
      const drawn = Promise.withResolvers<string>();
      const slow = tool('draw', () => (begun.resolve(undefined), drawn.promise), { effect: 'pure' });
      const replies = [{ toolCalls: [{ name: 'draw', args: {} }] }, looks(1), { text: 'Done.' }];
      const { launch, engine, journal, model } = await team('{ id: shown, on_tools: [draw] }', replies, {
        tools: [look, slow, fail],
      });
      const run = await launch();
      await begun.promise;
      await run.send('Make it blue.', { priority });
      drawn.resolve('drawn');
      await run.settled();
      expect(run.pending).toMatchObject([{ message: expect.stringContaining("Checkpoint 'shown'") }]);
      await run.answer(run.pending[0]?.id ?? '', 'go on');
      expect(await run.result).toMatchObject({ outcome: 'success', output: 'Done.' });
      if (priority !== 'idle') expect(JSON.stringify(model.requests[1]?.prompt)).toContain('Make it blue.');
      await verifyRun(run, journal, { requests: model.requests });
      await engine.close();
    }
  });

  it('comes after certain calls, when they did not fail, and ends in the words of its profile', async () => {
    const { launch, engine, journal } = await team('{ id: shown, on_tools: [draw, fail], outcome: shown }', [
      looks(1),
      { toolCalls: [{ name: 'fail', args: {} }] },
      {
        toolCalls: [
          { name: 'look', args: { n: 2 } },
          { name: 'draw', args: {} },
        ],
      },
      { toolCalls: [{ name: 'draw', args: {} }] },
    ]);
    const run = await launch();
    await run.settled();
    expect(run.turns()).toHaveLength(3);
    expect(run.pending[0]?.message).toContain("Checkpoint 'shown'");
    await run.answer(run.pending[0]?.id ?? '', 'go on');
    await run.settled();
    expect(run.turns()).toHaveLength(4);
    await run.answer(run.pending[0]?.id ?? '', 'end');
    expect(await run.result).toMatchObject({ outcome: 'shown' });
    await verifyRun(run, journal);
    await engine.close();
  });

  it('needs all it names: turns and a condition; one that cannot be judged counts as reached', async () => {
    const both = '{ id: both, after_turns: 2, condition: "counters.tool_call_count > 2" }';
    const { launch, engine, journal } = await team(`${both}, { id: odd, condition: "flags.missing.deeper > 1" }`, [looks(1)]);
    const run = await launch();
    await run.settled();
    expect(run.pending[0]?.message).toContain("Checkpoint 'odd'");
    const events = await verifyRun(run, journal);
    expect(events).toContainEqual(expect.objectContaining({ type: 'note.add', code: 'CONDITION_FAILED' }));
    await engine.close();
    const other = await team(both, [looks(1), looks(2), looks(3), { text: 'Done.' }]);
    const second = await other.launch();
    await second.settled();
    expect(second.turns()).toHaveLength(3);
    await other.engine.close();
  });

  it('counts from the last words of a person: who talks to the agent all the time is not asked', async () => {
    const profile = `${waitsForUser}${allow('look')}checkpoints: [${everyTwo}]`;
    const { launch, engine, journal } = await testEngine({ profile, tools: [look], replies: () => ({ text: 'Yes?' }) });
    const run = await launch();
    for (let round = 0; round < 4; round++) {
      await run.settled();
      expect(run.pending).toEqual([]);
      await run.send('And now?');
    }
    await run.settled();
    await verifyRun(run, journal);
    await engine.close();
  });

  it('is passed with a message, too: the agent goes on with it', async () => {
    const { launch, engine, journal, model } = await team(everyTwo, [looks(1), looks(2), { text: 'Only Paris, then.' }]);
    const run = await launch();
    await run.settled();
    // Decided as it arrives: what a server checked before may have changed.
    await expect(run.send('Who are you?', { mayAnswer: false })).rejects.toMatchObject({ code: 'REQUEST_REFUSED' });
    expect(run.state.status).toBe('awaiting');
    await run.send('Go on, but only with Paris.');
    expect(await run.result).toMatchObject({ output: 'Only Paris, then.' });
    expect(JSON.stringify(model.requests[2]?.prompt.at(-1))).toContain('only with Paris');
    await verifyRun(run, journal);
    await engine.close();
  });

  it('is waited at by an agent below another one, whose caller gets what there is when a person ends it', async () => {
    const lead = scriptedModel([{ toolCalls: [{ name: 'ask_worker', args: { prompt: 'Dig.' } }] }, { text: 'A person ended it.' }]);
    const { launch, engine, journal } = await testEngine({
      profile: {
        Lead: `llm_config_ref: lead\n${allow('ask_worker')}`,
        Worker: `${allow('look')}checkpoints: [${everyTwo}]\nexposable_as_tool: { name: ask_worker, description: Works., parameters: { type: object, properties: { prompt: { type: string } } } }`,
      },
      models: { lead },
      tools: [look],
      team: {},
      replies: ({ prompt }) => looks(prompt.length),
    });
    const run = await launch('Find it.');
    await run.settled();
    expect(run.pending).toMatchObject([{ agentId: 'Worker_2', path: ['Lead_1', 'Worker_2'] }]);
    expect(run.state.status).toBe('awaiting');
    await run.answer(run.pending[0]?.id ?? '', 'end');
    expect(await run.result).toMatchObject({ output: 'A person ended it.' });
    expect(JSON.stringify(lead.requests[1]?.prompt.at(-1))).toContain('checkpoint');
    await verifyRun(run, journal);
    await engine.close();
  });

  it('outlives its process, ends with a cancelled run, and is shown with the words that answer it', async () => {
    const journal = createMemoryJournal();
    const store = keepsOpen(journal);
    const first = await team(everyTwo, [looks(1), looks(2)], { store });
    const before = await first.launch();
    await before.settled();
    await first.engine.close();
    const ids = countingIds();
    const second = await team(everyTwo, [{ text: 'Thank you.' }], {
      store,
      ids: { runId: () => `o_${ids.runId()}` as never, itemId: () => `o_${ids.itemId()}` as never },
    });
    const run = await second.engine.resume(before.id);
    await run.settled();
    expect(run.turns()).toHaveLength(2);
    const shown = formatPending(run.pending, { runId: run.id, now: 0 });
    expect(shown).toContain('waits for your decision at a checkpoint of its profile');
    expect(shown).toContain('1. go on');
    expect(shown).toContain('2. end');
    await run.answer(run.pending[0]?.id ?? '', 'go on');
    expect(await run.result).toMatchObject({ output: 'Thank you.' });
    await verifyRun(run, journal);
    const third = await second.launch('Again.');
    await third.cancel('enough');
    expect(third.pending).toEqual([]);
    await second.engine.close();
  });

  it('is answered in a replay as it was in the run', async () => {
    const replies = [looks(1), looks(2), looks(3), looks(4)];
    const { launch, engine } = await team(everyTwo, replies);
    const run = await launch();
    for (const answer of ['go on', 'end']) {
      await run.settled();
      await run.answer(run.pending[0]?.id ?? '', answer);
    }
    const before = await run.result;
    const recording = parseRecording(await run.recording());
    const again = await (await team(everyTwo, [], { replay: recording })).launch();
    const people = replayedPeople(recording);
    do await again.settled();
    while (await people?.(again));
    expect(await again.result).toMatchObject({ outcome: 'checkpoint', output: before.output });
    expect(await again.recording()).toBe(await run.recording());
    await engine.close();
  });

  it('is checked at load', async () => {
    const text = (checkpoints: string) => `name: A\nllm_config_ref: m\ninstructions: Hi.\ncheckpoints: [${checkpoints}]\n`;
    const problems = async (checkpoints: string): Promise<string> => {
      const loaded = loadProfiles({ files: [{ path: 'profiles/A.yaml', text: text(checkpoints) }] });
      return await Promise.resolve(loaded).then(
        () => '',
        (thrown: unknown) => String(thrown instanceof Error ? thrown.message : thrown),
      );
    };
    expect(await problems('{ id: a }')).toMatch(/A\.yaml:4:\d+.*does not say when it is reached/s);
    expect(await problems('{ id: a, after_iterations: 3 }')).toContain('write after_turns');
    expect(await problems('{ id: a, after_turns: 0 }')).toContain('after_turns');
    expect(await problems('{ id: a, condition: "nothing.there" }')).toMatch(/A\.yaml:4:\d+/);
    expect(await problems('{ id: a, after_turns: 1 }, { id: a, after_turns: 2 }')).toContain('twice in checkpoints');
  });
});

/** The same journal for another engine, after the first one has closed its own. */
function keepsOpen(journal: ReturnType<typeof createMemoryJournal>): ReturnType<typeof createMemoryJournal> {
  return {
    location: journal.location,
    acquire: (runId, owner) => journal.acquire(runId, owner),
    release: (lease) => journal.release(lease),
    append: (lease, commit) => journal.append(lease, commit),
    read: (runId, options) => journal.read(runId, options),
    content: (hash) => journal.content(hash),
    runs: () => journal.runs(),
    close: () => undefined,
  };
}
