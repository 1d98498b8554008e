import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { CadreError, type Journal } from '../../src/index.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import { assertJournal, createMemoryJournal, type ScriptedReply } from '../../src/testing/index.ts';
import { breathe, gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const textOf = (request: { readonly prompt: unknown } | undefined): string =>
  promptText((request?.prompt ?? []) as readonly PromptMessage[]);

/** Says a few words and then nothing more. */
const stuck: ScriptedReply = { text: 'I was about to say', hang: true, cutAfter: 3 };

describe('priority now', () => {
  it('[B.73] interrupts the model call, keeps its partial text on record, and is read at once', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [stuck, { text: 'only EU data, then' }] });
    const run = await team.launch('Compare the offers.');
    await breathe();
    const { delivered } = await run.send('only EU data', { priority: 'now' });
    await run.settled();
    expect(await delivered).toBe('Root_1.t2');
    const [first, second] = run.turns();
    expect(first).toMatchObject({
      status: 'interrupted',
      error: { code: 'MODEL_INTERRUPTED' },
      attempts: [{ partialText: 'I was' }],
      reply: { text: '' },
      toolInteractions: [],
    });
    expect(second).toMatchObject({ status: 'completed', reply: { text: 'only EU data, then' } });
    // What the interrupted turn had read for good stands in history; what the model had begun to say does not.
    expect(textOf(team.model.requests[1])).toMatch(/Compare the offers\.[^]*only EU data/);
    expect(textOf(team.model.requests[1])).not.toContain('I was');
    expect(run.state.agents.get('Root_1' as never)?.counters.turnCount).toBe(2);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('what the interrupted turn read for this once is read again, once', async () => {
    const team = await testEngine({
      profile: waitsForUser,
      replies: [{ text: 'hello' }, stuck, stuck, { text: 'done' }, { text: 'x' }],
    });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'SELF_REFLECTION_PROMPT', payload: { content: 'think twice' } });
    await breathe();
    await run.send('first', { priority: 'now' });
    await breathe();
    await run.send('second', { priority: 'now' });
    await run.settled();
    await run.send('third');
    await run.settled();
    expect(team.model.requests.map((request) => textOf(request).split('think twice').length - 1)).toEqual([0, 1, 1, 1, 0]);
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    const repeats = events.flatMap((event) => (event.type === 'inbox.add' && event.item.repeats !== undefined ? [event] : []));
    expect(repeats).toHaveLength(2);
    expect(new Set(repeats.map(({ item }) => item.repeats)).size).toBe(1);
    expect(repeats.every(({ cause }) => events[(cause ?? 0) - 1]?.type === 'turn.end')).toBe(true);
  });

  it('what observers say of a turn is said anew by the next, not twice; an item that stays is not used up', async () => {
    const observers = `
pre_turn_observers:
  - { id: note, action: { type: add_to_inbox, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content: observed } } } }
`;
    const team = await testEngine({
      profile: waitsForUser + observers,
      replies: [{ text: 'a' }, stuck, { text: 'b' }, { text: 'c' }],
    });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'NEWS', payload: 'standing', consumption: 'persistent_until_consumed', maxTurns: 1 });
    await breathe();
    await run.send('stop', { priority: 'now' });
    await run.settled();
    await run.send('go on');
    await run.settled();
    const seen = (words: string): readonly number[] =>
      team.model.requests.map((request) => textOf(request).split(words).length - 1);
    expect(seen('observed')).toEqual([1, 1, 1, 1]);
    expect(seen('standing')).toEqual([0, 1, 1, 0]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a reply that comes whole all the same is on record, and none of its calls is run', async () => {
    const held = gate();
    const ran: string[] = [];
    const team = await testEngine({
      profile: waitsForUser + allow('delete'),
      tools: [tool('delete', () => ran.push('deleted'))],
      functions: {},
      replies: [
        async () => {
          await held.promise;
          return { text: 'deleting', toolCalls: [{ name: 'delete', args: {} }], usage: { inputTokens: 7, outputTokens: 3 } };
        },
        { text: 'not deleted' },
      ],
    });
    const run = await team.launch();
    await breathe();
    // Both arrive in one breath: the item is in the journal first.
    const sent = run.send('do not delete anything', { priority: 'now' });
    held.open();
    await sent;
    await run.settled();
    expect(ran).toEqual([]);
    expect(run.turns().map(({ status }) => status)).toEqual(['interrupted', 'completed']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('several are read together: one interruption, one new turn', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [stuck, { text: 'all three' }] });
    const run = await team.launch();
    await breathe();
    const receipts = await Promise.all(['one', 'two', 'three'].map((words) => run.send(words, { priority: 'now' })));
    await run.settled();
    expect(await Promise.all(receipts.map(({ delivered }) => delivered))).toEqual(['Root_1.t2', 'Root_1.t2', 'Root_1.t2']);
    expect(team.model.requests).toHaveLength(2);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a flood is bounded by the turns of the agent: its last turn is not interrupted', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}limits: { max_turns: 4 }`,
      replies: ({ prompt }) => (JSON.stringify(prompt).includes('last turn') ? { text: 'my last words' } : stuck),
    });
    const run = await team.launch();
    for (let sent = 0; sent < 20 && run.state.outcome === undefined; sent++) {
      await breathe(1);
      await run.send(`and ${sent}`, { priority: 'now' }).catch(() => undefined);
    }
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'my last words' });
    expect(run.turns().map(({ status }) => status)).toEqual([
      'interrupted',
      'interrupted',
      'interrupted',
      'interrupted',
      'completed',
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('wakes an agent that waits for something else', async () => {
    const waits = 'flow_decider: [{ id: wait, action: { type: await, on: [BUILD_DONE] } }]';
    const team = await testEngine({ profile: waits, replies: [{ text: 'waiting' }, { text: 'awake' }] });
    const run = await team.launch();
    await run.settled();
    await run.send('anybody there?');
    await run.settled();
    expect(run.turns()).toHaveLength(1);
    await run.send('now!', { priority: 'now' });
    await run.settled();
    expect(run.turns()[1]?.inputs.map(({ content }) => content)).toEqual(['anybody there?', 'now!']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('cancels no tool: it is read behind their results', async () => {
    const held = heldTool('t');
    const team = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [held.tool],
      replies: [{ toolCalls: [{ name: 't', args: {} }] }, { text: 'done' }],
    });
    const run = await team.launch();
    await breathe();
    await run.send('quick', { priority: 'now' });
    await breathe();
    expect(team.model.requests).toHaveLength(1);
    held.gates.get('t')?.open('result');
    await run.settled();
    expect(run.turns().map((turn) => [turn.status, turn.inputs.map(({ source }) => source)])).toEqual([
      ['completed', ['USER_PROMPT']],
      ['completed', ['TOOL_RESULT', 'USER_PROMPT']],
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('interrupts the wait for the next attempt', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ error: { status: 500 } }, { text: 'at last' }] });
    const run = await team.launch();
    await breathe();
    expect(team.clock.timers).toBeGreaterThan(0);
    await run.send('leave it', { priority: 'now' });
    await run.settled();
    expect(run.turns()[0]).toMatchObject({ status: 'interrupted', attempts: [{ error: { code: 'MODEL_UNAVAILABLE' } }] });
    expect(run.turns()[1]).toMatchObject({ status: 'completed', reply: { text: 'at last' } });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('does not wait for a function node that takes no notice', async () => {
    let calls = 0;
    const team = await testEngine({
      profile: `${waitsForUser}function_node: think`,
      functions: { think: () => (++calls === 1 ? new Promise(() => undefined) : { text: 'thought' }) },
    });
    const run = await team.launch();
    await breathe();
    await run.send('well?', { priority: 'now' });
    await run.settled();
    expect(run.turns().map(({ status, reply }) => [status, reply.text])).toEqual([
      ['interrupted', ''],
      ['completed', 'thought'],
    ]);
    await verifyRun(run, team.journal, {});
  });

  it('usage of the interrupted call counts as far as it is known', async () => {
    const parts = [
      { type: 'stream-start' as const, warnings: [] },
      { type: 'text-start' as const, id: 't' },
      { type: 'text-delta' as const, id: 't', delta: 'many words' },
    ];
    const team = await testEngine({ profile: waitsForUser, replies: [{ parts, hang: true, cutAfter: 3 }, { text: 'b' }] });
    const run = await team.launch();
    await breathe();
    await run.send('stop', { priority: 'now' });
    await run.settled();
    expect(run.state.usage.modelCalls).toBe(2);
    await verifyRun(run, team.journal, {});
  });

  it('after a crash between the item and the abort the call is not made again; the next turn reads the item', async () => {
    const journal = createMemoryJournal();
    const team = await testEngine({
      profile: waitsForUser,
      store: failingAfterNow(journal),
      replies: [stuck, { text: 'read it' }],
    });
    const run = await team.launch();
    await breathe();
    await run.send({ source: 'SELF_REFLECTION_PROMPT', payload: { content: 'once' } }, { priority: 'now' });
    await expect(run.settled()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect((await journal.read(run.id)).at(-1)).toMatchObject({ type: 'inbox.add', item: { delivery: 'now' } });
    const resumed = await team.engine.resume(run.id);
    await resumed.settled();
    expect(team.model.requests).toHaveLength(2);
    expect(resumed.turns().map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ['interrupted', 1],
      ['completed', 1],
    ]);
    expect(textOf(team.model.requests[1])).toContain('once');
    await verifyRun(resumed, journal, {});
  });
});

/** A journal that fails once, at the first commit after an item that will not wait. */
function failingAfterNow(inner: Journal): Journal {
  let isDue = false;
  return {
    location: inner.location,
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => {
      const fails = isDue;
      isDue = commit.events.some((event) => event.type === 'inbox.add' && event.item.delivery === 'now');
      if (fails) throw new CadreError('STORE_FAILED', 'the disk is gone');
      return inner.append(lease, commit);
    },
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => inner.content(hash),
    runs: () => inner.runs(),
    close: () => undefined,
  };
}

describe('priority idle', () => {
  it('waits while the agent loops by itself', async () => {
    const loops = `flow_decider:
  - { id: again, condition: counters.turn_count < 3, action: { type: retry_turn } }
  - { id: wait, action: { type: await_user_input } }`;
    const held = gate();
    const team = await testEngine({
      profile: loops,
      replies: [
        async () => {
          await held.promise;
          return { text: 'one' };
        },
        { text: 'two' },
        { text: 'three' },
        { text: 'four' },
      ],
    });
    const run = await team.launch();
    await breathe();
    const { delivered } = await run.send('when you have time', { priority: 'idle' });
    held.open();
    await run.settled();
    expect(await delivered).toBe('Root_1.t4');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('E11: every order of sends and replies reads every item once, and what is idle last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom('now' as const, 'next' as const, 'idle' as const), { minLength: 1, maxLength: 5 }),
        async (scheduler, priorities) => {
          const team = await testEngine({
            profile: waitsForUser,
            replies: async () => {
              await scheduler.schedule(Promise.resolve(), 'reply');
              return { text: 'words' };
            },
          });
          const run = await team.launch();
          const sends = priorities.map((priority, index) =>
            scheduler.schedule(Promise.resolve(), `send ${priority}`).then(() => run.send(`item ${index}`, { priority })),
          );
          for (let round = 0; round < 60; round++) {
            if (scheduler.count() > 0) await scheduler.waitOne();
            await breathe(1);
          }
          const receipts = await Promise.all(sends);
          await run.settled();
          await Promise.all(receipts.map(({ delivered }) => delivered));
          const events = await verifyRun(run, team.journal, { requests: team.model.requests });
          for (let length = 1; length < events.length; length++) assertJournal(events.slice(0, length), { settled: false });
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});

describe('receipts', () => {
  it('reject when the item is set aside unread, and when the run ends', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}\ninbox_handling_strategies: [{ source: ODD, ingestor: bad }]`,
      ingestors: [
        {
          name: 'bad',
          ingest: () => {
            throw new Error('no');
          },
        },
      ],
      replies: Array.from({ length: 6 }, () => ({ text: 'a' })),
    });
    const run = await team.launch();
    await run.settled();
    const odd = await run.send({ source: 'ODD', payload: 1 });
    const outcome = odd.delivered.then(
      () => 'read',
      (error: { code?: string }) => error.code,
    );
    for (let more = 0; more < 3; more++) {
      await run.settled();
      await run.send('more');
    }
    expect(await outcome).toBe('ITEM_POISONED');
    await run.settled();
    await run.cancel();
    await expect(run.send('too late')).rejects.toMatchObject({ code: 'RUN_ENDED' });
    await verifyRun(run, team.journal, {});
  });
});
