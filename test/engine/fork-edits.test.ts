import { describe, expect, it } from 'vitest';
import type { ForkEdit, Run } from '../../src/index.ts';
import { formatTurn } from '../../src/inspect/format/turn/format-turn.ts';
import { formatWhy } from '../../src/inspect/format/format-why.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { engineOver } from '../support/engine-over.ts';
import { verifyRun } from '../support/verify-run.ts';
import { type TestEngineOptions, waitsForUser } from '../support/test-engine.ts';

const profile = `
system_prompt_construction:
  system_prompt_segments:
    - { id: role, type: static_text, order: 1, content: You work. }
    - { id: mood, type: state_value, order: 2, source_state_path: flags.mood }
tool_access_policy: { allowed_individual_tools: [look] }
${waitsForUser}`;

let ran = 0;
const look = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object' },
  execute: () => `A toy, ${++ran}.`,
};

/** A run of two turns that called a tool, and a way to fork it with another script. */
async function recorded() {
  const store = createMemoryJournal();
  const first = await engineOver(store, {
    profile,
    tools: [look],
    replies: [{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'A kite is a toy.' }],
  });
  const run = await first.launch('What is a kite?');
  await run.settled();
  const fork = async (options: Parameters<typeof first.engine.fork>[1], more: TestEngineOptions = {}) => {
    const made = await engineOver(store, { profile, tools: [look], replies: [{ text: 'Well.' }, { text: 'Yes.' }], ...more });
    const forked = await made.engine.fork(run.id, options);
    await forked.settled();
    await verifyRun(forked, store, {});
    return { ...made, forked, asked: () => JSON.stringify(made.model.requests.map(({ prompt }) => prompt)) };
  };
  return { store, run, fork };
}

const lastReply = (run: Run): string | undefined => run.turns().at(-1)?.reply.text;

describe('a fork with edits', () => {
  it('takes a turn again: what it read waits there, and no tool runs twice', async () => {
    const { fork, run } = await recorded();
    const before = ran;
    const { forked, asked } = await fork({ before: 'Root_1.t2' });
    expect(forked.turns().map(({ turnId }) => turnId)).toEqual(['Root_1.t1', 'Root_1.t2']);
    expect(lastReply(forked)).toBe('Well.');
    expect(asked()).toContain('A toy');
    expect(ran).toBe(before);
    expect(lastReply(run)).toBe('A kite is a toy.');
  });

  it('gives a message other words: before the turn that read it, as an event that the turn and its texts name', async () => {
    const { fork, run } = await recorded();
    const { forked, asked } = await fork({ edits: [{ type: 'message', itemId: 'i1', payload: 'What is a dog?' }] });
    expect(asked()).toContain('What is a dog?');
    expect(asked()).not.toContain('kite');
    const turn = forked.turn('Root_1.t1');
    expect(turn?.inputs).toMatchObject([{ source: 'USER_PROMPT', edits: 'i1', payload: { prompt: 'What is a dog?' } }]);
    const notes = await eventsOf(forked, 'note.add');
    expect(notes).toMatchObject([
      { code: 'FORK_EDITED', message: expect.stringMatching(/^a person edited USER_PROMPT i1 .*kite.* → .*dog/) },
    ]);
    if (turn !== undefined) expect(formatTurn(turn)).toContain('edited by a person in this fork, in place of i1');
    const [answer] = forked.why('Root_1.t1', 'What is a dog?');
    expect(answer?.pieces[0]?.origin).toMatchObject({ kind: 'item', edits: 'i1' });
    expect(formatWhy(forked.why('Root_1.t1', 'What is a dog?'))).toMatch(/edited by a person in this fork[^]*note\.add/);
    // The original is as it was.
    expect(run.turn('Root_1.t1')?.inputs[0]).toMatchObject({ payload: { prompt: 'What is a kite?' } });
  });

  it('gives a call another result, without running its tool', async () => {
    const { fork, run } = await recorded();
    const callId = run.turns()[0]?.toolInteractions[0]?.callId ?? '';
    const before = ran;
    const { forked, asked } = await fork({ edits: [{ type: 'result', callId, content: 'A bird of prey.' }] });
    expect(asked()).toContain('A bird of prey.');
    expect(asked()).not.toContain('A toy');
    expect(ran).toBe(before);
    expect(forked.why('Root_1.t2', 'A bird of prey.')[0]?.pieces[0]?.origin).toMatchObject({
      kind: 'tool_result',
      item: { edits: expect.any(String) },
    });
  });

  it('sets and removes values of the state, with the person as their author', async () => {
    const { fork } = await recorded();
    const edits: readonly ForkEdit[] = [
      { type: 'state', path: 'flags.mood', value: 'cheerful' },
      { type: 'state', path: 'team.shared.plan.first', value: 1 },
    ];
    const { forked, asked } = await fork({ before: 'Root_1.t2', edits });
    expect(asked()).toContain('cheerful');
    expect(await forked.stateAt({ path: 'Root_1.flags.mood' })).toMatchObject({
      value: 'cheerful',
      changes: [{ by: 'person', value: 'cheerful' }],
    });
    expect(forked.state.team.shared).toEqual({ plan: { first: 1 } });
    expect(forked.turn('Root_1.t2')?.stateChanges).toMatchObject([{ path: 'flags.mood', by: 'person' }]);
  });

  it('goes on with the profiles of its engine, and says how they differ', async () => {
    const { fork } = await recorded();
    const { forked, asked } = await fork(
      { before: 'Root_1.t1', profiles: 'current' },
      { profile: profile.replace('You work.', 'You play.') },
    );
    expect(asked()).toContain('You play.');
    expect(await eventsOf(forked, 'note.add')).toMatchObject([
      { code: 'PROFILES_CHANGED', message: expect.stringMatching(/^the fork goes on with other profiles: profile `Root` changed/) },
    ]);
    const { asked: recordedOnes } = await fork({ before: 'Root_1.t1' }, { profile: profile.replace('You work.', 'You play.') });
    expect(recordedOnes()).toContain('You work.');
  });

  it('goes on with another LLM config and other limits', async () => {
    const { fork } = await recorded();
    await expect(fork({ before: 'Root_1.t1', llmConfig: 'nowhere' })).rejects.toThrow(/nowhere/);
    const direct = await fork({ before: 'Root_1.t1', llmConfig: 'm', limits: { turns: 7 } });
    expect(direct.forked.state).toMatchObject({ meta: { llmConfig: 'm' }, limits: { maxTurns: 7 } });
  });

  it.each<[string, Parameters<Awaited<ReturnType<typeof recorded>>['fork']>[0], RegExp]>([
    ['a turn that was not recorded', { before: 'Root_1.t9' }, /no turn 'Root_1\.t9'; it has Root_1\.t1, Root_1\.t2/],
    ['two places', { at: 3, before: 'Root_1.t1' }, /two places/],
    ['an item that the run never had', { edits: [{ type: 'message', itemId: 'i99', payload: 'x' }] }, /no item 'i99'/],
    ['a call without a result', { edits: [{ type: 'result', callId: 'c9', content: 'x' }] }, /no result for a call 'c9'/],
    [
      'an item that was read by then',
      { before: 'Root_1.t2', edits: [{ type: 'message', itemId: 'i1', payload: 'x' }] },
      /Root_1\.t1 has read it by then; fork before that turn/,
    ],
    ['a path below a text', { before: 'Root_1.t2', edits: [{ type: 'state', path: 'flags', value: 1 }] }, /a path names a value/],
    [
      'an agent that is not there',
      { edits: [{ type: 'state', path: 'flags.n', value: 1, agentId: 'Nobody_7' }] },
      /no agent 'Nobody_7'.*Root_1/,
    ],
    ['an edit of another kind', { edits: [{ type: 'reply' } as never] }, /message, result, state, not "reply"/],
    ['profiles by path', { profiles: './elsewhere' as never }, /profiles must be recorded or current/],
  ])('refuses %s, and writes nothing', async (_, options, message) => {
    const { fork, store } = await recorded();
    const before = (await store.runs()).length;
    await expect(fork(options)).rejects.toThrow(message);
    expect((await store.runs()).length).toBe(before);
  });
});

async function eventsOf(run: Run, type: string) {
  const events = [];
  for await (const event of run.events({ after: run.state.meta.parentRun?.at ?? 0 })) {
    if (event.type === type) events.push(event);
    if (event.seq >= run.state.seq) break;
  }
  return events;
}
