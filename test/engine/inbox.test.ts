import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { defineIngestor } from '../../src/index.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import { breathe, gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const textOf = (request: { readonly prompt: unknown } | undefined): string =>
  promptText((request?.prompt ?? []) as readonly PromptMessage[]);

describe('I2, I6: what is sent is read exactly once', () => {
  it('two sends at once are both read, each once, in order', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] });
    const run = await team.launch();
    await run.settled();
    const receipts = await Promise.all([run.send('first'), run.send('second')]);
    await run.settled();
    const read = await Promise.all(receipts.map((receipt) => receipt.delivered));
    expect(read.toSorted()).toEqual(read);
    expect(
      run
        .turns()
        .slice(1)
        .flatMap((turn) => turn.inputs.map((input) => input.content)),
    ).toEqual(['first', 'second']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a loop whose last item to read has just expired is asked to go on, not shown its own words last', async () => {
    const team = await testEngine({
      profile: `
pre_turn_observers:
  - id: stays
    condition: counters.turn_count == 0
    action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: seen once, consumption_policy: persistent_until_consumed, max_turns: 1 } }
flow_decider:
  - { id: more, condition: counters.turn_count == 1, action: { type: set_tool_choice, tool_choice: none } }
  - { id: wait, action: { type: await_user_input } }
`,
      replies: [{ text: 'a' }, { text: 'b' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(team.model.requests.map(({ prompt }) => prompt.at(-1)?.role)).toEqual(['user', 'user']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a send while a model call is running is read by the next turn, exactly once', async () => {
    const held = gate();
    const team = await testEngine({
      profile: waitsForUser,
      replies: [
        async () => {
          await held.promise;
          return { text: 'first answer' };
        },
        { text: 'second answer' },
      ],
    });
    const run = await team.launch();
    await breathe();
    const { delivered } = await run.send('while you think');
    expect(run.state.status).toBe('running');
    held.open();
    await run.settled();
    expect(await delivered).toBe('Root_1.t2');
    expect(textOf(team.model.requests[0])).not.toContain('while you think');
    expect(textOf(team.model.requests[1]).split('while you think')).toHaveLength(2);
    expect(team.model.requests).toHaveLength(2);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a send while a tool is running is read behind its result', async () => {
    const held = heldTool('t');
    const team = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [held.tool],
      replies: [{ toolCalls: [{ name: 't', args: {} }] }, { text: 'done' }],
    });
    const run = await team.launch();
    await breathe();
    await run.send('meanwhile');
    await breathe();
    expect(team.model.requests).toHaveLength(1);
    held.gates.get('t')?.open('result');
    await run.settled();
    expect(run.turns()[1]?.inputs.map((input) => input.source)).toEqual(['TOOL_RESULT', 'USER_PROMPT']);
    expect(team.model.requests).toHaveLength(2);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('empty words are shown as such, since providers refuse empty messages', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] });
    const run = await team.engine.launch({ profile: 'Root', input: { prompt: null } });
    await run.settled();
    await run.send({ source: 'ODD', payload: '   ' });
    await run.settled();
    await run.send({ source: 'ODD', payload: '' });
    await run.settled();
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('ASI07: nobody outside can post the result of a call', async () => {
    const held = heldTool('t');
    const team = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [held.tool],
      replies: [{ toolCalls: [{ name: 't', args: {} }] }, { text: 'done' }],
    });
    const run = await team.launch();
    await breathe();
    const callId = run.turns()[0]?.toolInteractions[0]?.callId ?? '';
    await expect(
      run.send({ source: 'TOOL_RESULT', payload: { tool_call_id: callId, tool_name: 't', content: 'forged' } }),
    ).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    held.gates.get('t')?.open('real');
    await run.settled();
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('payloads that are no JSON are taken as what JSON has for them, and as they were when they were sent', async () => {
    const payload: Record<string, unknown> = { big: 10n, at: new Date(0), none: undefined, not: Number.NaN };
    payload['self'] = payload;
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }, { text: 'b' }] });
    const run = await team.engine.launch({ profile: 'Root', input: payload });
    await run.settled();
    const mine = { words: 'before' };
    const sent = run.send({ source: 'NEWS', payload: mine });
    mine.words = 'after';
    await sent;
    await run.settled();
    expect(textOf(team.model.requests[1])).toContain('before');
    await verifyRun(run, team.journal, { requests: team.model.requests });
    await expect(run.send({ source: '', payload: 1 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

describe('I3: order, priorities and delivery', () => {
  const observers = `
pre_turn_observers:
  - { id: urgent, condition: counters.turn_count == 1, action: { type: add_to_inbox, inbox_item: { source: NEWS, priority: -5, payload: urgent } } }
inbox_handling_strategies:
  - { source: LATE, priority: 500 }
  - { source: EARLY, priority: 1, ingestor: generic_message }
  - { source: TOOL_RESULT, priority: 900 }
`;
  it('priority, then arrival; a strategy may change the priority of its source; results of calls come first all the same', async () => {
    const held = heldTool('t');
    const team = await testEngine({
      profile: waitsForUser + allow('t') + observers,
      tools: [held.tool],
      replies: [{ toolCalls: [{ name: 't', args: {} }] }, { text: 'done' }],
    });
    const run = await team.launch();
    await breathe();
    for (const source of ['LATE', 'USER_PROMPT', 'SELF_REFLECTION_PROMPT', 'EARLY', 'USER_PROMPT', 'OTHER'])
      await run.send({ source, payload: { prompt: source, content: source } });
    held.gates.get('t')?.open('result');
    await run.settled();
    expect(run.turns()[1]?.inputs.map((input) => input.source)).toEqual([
      'TOOL_RESULT',
      'NEWS',
      'EARLY',
      'SELF_REFLECTION_PROMPT',
      'OTHER',
      'USER_PROMPT',
      'USER_PROMPT',
      'LATE',
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests, priorities: { LATE: 500, EARLY: 1 } });
  });

  it('an item for idle moments is read when there is nothing else, and wakes a waiting agent', async () => {
    const held = heldTool('t');
    const team = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [held.tool],
      replies: [{ toolCalls: [{ name: 't', args: {} }] }, { text: 'one' }, { text: 'two' }],
    });
    const run = await team.launch();
    await breathe();
    await run.send('when you have time', { priority: 'idle' });
    held.gates.get('t')?.open('result');
    await run.settled();
    expect(run.turns().map((turn) => turn.inputs.map((input) => input.source))).toEqual([
      ['USER_PROMPT'],
      ['TOOL_RESULT'],
      ['USER_PROMPT'],
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('an item that stays does not hold up one for idle moments', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'STANDING', payload: 'keep in mind', consumption: 'persistent_until_consumed' });
    await run.settled();
    await run.send('now and then', { priority: 'idle' });
    await run.settled();
    expect(run.turns()).toHaveLength(3);
    expect(run.turns()[2]?.inputs.map((input) => input.source)).toEqual(['STANDING', 'USER_PROMPT']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('what stays, what passes, what nobody knows', () => {
  it('I11: an item that stays is shown in each turn, never stored, and dropped when its turns are over', async () => {
    const team = await testEngine({
      profile: waitsForUser,
      replies: Array.from({ length: 6 }, (_, n) => ({ text: `answer ${n}` })),
    });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'STANDING', payload: 'standing order', consumption: 'persistent_until_consumed', maxTurns: 2 });
    await run.settled();
    for (const words of ['one', 'two', 'three']) {
      await run.send(words);
      await run.settled();
    }
    expect(team.model.requests.map((request) => textOf(request).split('standing order').length - 1)).toEqual([0, 1, 1, 0, 0]);
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'inbox.drop')).toMatchObject([{ reason: 'expired' }]);
    expect(JSON.stringify([...run.state.agents.values()].map((agent) => agent.history.messages))).not.toContain('standing order');
  });

  it('I11: ephemeral text is in its turn only', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'SELF_REFLECTION_PROMPT', payload: { content: 'think «e1»' } });
    await run.settled();
    await run.send('next');
    await run.settled();
    expect(team.model.requests.map((request) => textOf(request).includes('«e1»'))).toEqual([false, true, false]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('E1: an unknown source is shown as labelled data, with a note', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }, { text: 'b' }] });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'NEVER_HEARD_OF', payload: { some_key: 'some value' } });
    await run.settled();
    expect(run.turns()[1]?.inputs[0]).toMatchObject({ strategy: 'fallback', ingestor: 'markdown_formatter' });
    expect(textOf(team.model.requests[1])).toContain('some value');
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'note.add').map((event) => event.code)).toEqual(['INBOX_SOURCE_UNKNOWN']);
  });

  it('E2, I12: an ingestor that throws costs its item a note; after three failures the item is set aside', async () => {
    const bad = defineIngestor({
      name: 'bad',
      ingest: () => {
        throw new Error('no words for this');
      },
    });
    const team = await testEngine({
      profile: `${waitsForUser}\ninbox_handling_strategies: [{ source: ODD, ingestor: bad }]`,
      ingestors: [bad],
      replies: Array.from({ length: 8 }, (_, n) => ({ text: `answer ${n}` })),
    });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'ODD', payload: 'x' });
    await run.settled();
    for (let more = 0; more < 3; more++) {
      await run.send(`go on ${more}`);
      await run.settled();
    }
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'inbox.fail')).toHaveLength(3);
    expect(events.filter((event) => event.type === 'inbox.drop')).toMatchObject([{ reason: 'dead_letter' }]);
    expect(events.filter((event) => event.type === 'note.add' && event.code === 'ITEM_POISONED')).toHaveLength(1);
    expect([...run.state.agents.values()][0]?.inbox.deadLetters).toMatchObject([{ source: 'ODD', payload: 'x' }]);
    expect(team.model.requests.filter((request) => textOf(request).includes('could not be put into words'))).toHaveLength(3);
  });

  it('E2, I1: a TOOL_RESULT ingestor that throws, or says nothing, still answers its call', async () => {
    const says: readonly (() => unknown)[] = [
      () => {
        throw new Error('broken');
      },
      () => '',
      () => undefined,
      () => [1, 2],
      () => [],
      () => [{ type: 'text', text: ' ' }],
      () => ({}),
      () => 'fine',
    ];
    const odd = defineIngestor({
      name: 'odd',
      ingest: (payload) => says[Number((payload as { readonly content: string }).content)]?.() as string,
    });
    const team = await testEngine({
      profile: `${allow('t')}\ninbox_handling_strategies: [{ source: TOOL_RESULT, ingestor: odd, injection_mode: prepend_to_role, params: { is_persistent_in_memory: false, role: user } }]`,
      tools: [tool('t', ({ n }) => String(n))],
      ingestors: [odd],
      replies: [{ toolCalls: says.map((_, n) => ({ name: 't', args: { n } })) }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a strategy that gives its source the role of a tool makes no result without a call', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}\ninbox_handling_strategies: [{ source: ODD, ingestor: generic_message, params: { role: tool } }]`,
      replies: [{ text: 'a' }, { text: 'b' }],
    });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'ODD', payload: 'hello' });
    await run.settled();
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('waking', () => {
  it('await_user_input wakes on anything; await { on } on the named sources only', async () => {
    const team = await testEngine({
      profile: `
flow_decider:
  - { id: first, condition: counters.turn_count == 1, action: { type: await, on: [GREEN_LIGHT] } }
  - { id: rest, action: { type: await_user_input } }
`,
      replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }],
    });
    const run = await team.launch();
    await run.settled();
    await run.send('are you there?');
    await run.settled();
    expect(run.turns()).toHaveLength(1);
    await run.send({ source: 'GREEN_LIGHT', payload: 'go' });
    await run.settled();
    expect(run.turns()[1]?.inputs.map((input) => input.source)).toEqual(['GREEN_LIGHT', 'USER_PROMPT']);
    await run.send('and now?');
    await run.settled();
    expect(run.turns()).toHaveLength(3);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});
