import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/index.ts';
import { breathe, gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { plainState, verifyRun } from '../support/verify-run.ts';

const chatty = {
  profile: waitsForUser + allow('t'),
  tools: [tool('t', () => 'a result of the tool')],
  replies: [
    { toolCalls: [{ name: 't', args: { x: 1 } }] },
    { text: 'first answer' },
    { text: 'second answer' },
    { text: 'third answer' },
  ],
};

async function collect(
  events: AsyncIterable<CadreEvent>,
  until: (event: CadreEvent) => boolean = () => false,
): Promise<CadreEvent[]> {
  const seen: CadreEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (until(event)) break;
  }
  return seen;
}

describe('a run, looked at', () => {
  it('[B.79] events({ after }) gives a late reader what it missed, then what comes, without gaps or doubles', async () => {
    const team = await testEngine(chatty);
    const run = await team.launch();
    const early = collect(run);
    await run.settled();
    const late = collect(run.events({ after: 5 }));
    await run.send('more');
    await run.settled();
    await run.cancel();
    const all = await team.journal.read(run.id);
    expect(await early).toEqual(all);
    expect(await late).toEqual(all.slice(5));
    expect(await collect(run.events({ after: all.length }))).toEqual([]);
    const stop = new AbortController();
    const stopped = collect(run.events({ signal: stop.signal }), () => (stop.abort(), false));
    expect((await stopped).length).toBeLessThanOrEqual(all.length);
  });

  it('a reader that stops, or is aborted while it waits, costs nothing and ends', async () => {
    const team = await testEngine(chatty);
    const run = await team.launch();
    await run.settled();
    expect(await collect(run, (event) => event.type === 'turn.start')).toHaveLength(4);
    const stop = new AbortController();
    const waiting = collect(run.events({ signal: stop.signal }));
    await breathe();
    stop.abort();
    expect((await waiting).length).toBe(run.state.seq);
    await team.engine.close();
    await expect(collect(run.events({ after: run.state.seq }))).rejects.toMatchObject({
      code: expect.stringMatching(/ENGINE_CLOSED|STORE/) as string,
    });
  });

  it('turns, turn and why answer from the record', async () => {
    const team = await testEngine(chatty);
    const run = await team.launch('What is it?');
    await run.settled();
    expect(run.turns().map(({ turnId }) => turnId)).toEqual(['Root_1.t1', 'Root_1.t2']);
    expect(run.turns({ agentId: 'nobody' })).toEqual([]);
    expect(run.turn('Root_1.t2')).toMatchObject({ reply: { text: 'first answer' }, sourceTurnIds: ['Root_1.t1'] });
    expect(run.turn('Root_1.t9')).toBeUndefined();
    const [answer] = run.why('Root_1.t2', 'a result of the tool');
    expect(answer?.pieces[0]?.role).toBe('tool');
    expect(answer?.causes.at(-1)?.type).toMatch(/run.start|inbox.add/);
    expect(run.why('Root_1.t1', 'You work.')[0]?.pieces[0]?.role).toBe('system');
    expect(run.why('Root_1.t1', 'never said')).toEqual([]);
    expect(() => run.why('Root_1.t9', 'x')).toThrow(/no turn/);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('deltas come live, each with its attempt and number, also of the very first call', async () => {
    const held = gate();
    const team = await testEngine({
      replies: [
        async () => {
          await held.promise;
          return { text: 'one two three' };
        },
      ],
    });
    const run = await team.launch();
    const heard: string[] = [];
    run.subscribe({
      onDelta: (agentId, turnId, delta) => {
        if (delta.kind === 'text') heard.push(`${agentId} ${turnId} ${delta.attempt} ${delta.text}`);
      },
    });
    held.open();
    await run.result;
    expect(heard.map((line) => line.replace('Root_1 Root_1.t1 1 ', '')).join('')).toBe('one two three');
  });

  it('errors name what was wrong', async () => {
    const team = await testEngine(chatty);
    await expect(team.engine.launch({ profile: 'Rot', input: 'x' })).rejects.toMatchObject({ code: 'PROFILE_UNKNOWN' });
    const run = await team.launch();
    await expect(run.send('x', { to: 'Nobody_1' })).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
    await expect(run.cancel('x', { agentId: 'Nobody_1' })).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
    await run.settled();
    const [summary] = await team.engine.runs();
    expect(summary).toMatchObject({
      runId: run.id,
      profile: 'Root',
      status: 'idle',
      turns: 2,
      agents: 1,
      lastSeq: run.state.seq,
    });
  });

  it('a message that is never read says so when the run ends', async () => {
    const team = await testEngine({ ...chatty, profile: 'flow_decider: [{ id: w, action: { type: await, on: [NEVER] } }]' });
    const run = await team.launch();
    await run.settled();
    const { delivered } = await run.send('unread');
    await run.cancel();
    await expect(delivered).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });
});

describe('fork', () => {
  it('a fork has the history up to the end of a turn, its own journal, and goes its own way', async () => {
    const team = await testEngine(chatty);
    const run = await team.launch();
    await run.settled();
    const at = run.state.seq;
    await run.send('one way');
    await run.settled();
    const before = plainState(run.state);
    const fork = await team.engine.fork(run.id, { at });
    await fork.settled();
    await fork.send('another way');
    await fork.settled();
    expect(fork.state.meta.parentRun?.runId).toBe(run.id);
    expect(fork.turns().map(({ reply }) => reply.text)).toEqual(['', 'first answer', 'third answer']);
    expect(JSON.stringify(team.model.requests.at(-1)?.prompt)).not.toContain('one way');
    expect(plainState(run.state)).toEqual(before);
    await verifyRun(fork, team.journal, { requests: team.model.requests.filter((_, index) => index !== 2) });
  });

  it('a fork of an ended run can be talked to again', async () => {
    const team = await testEngine({ replies: [{ text: 'the end' }, { text: 'or not' }] });
    const run = await team.launch();
    await run.result;
    const fork = await team.engine.fork(run.id);
    await fork.settled();
    expect(fork.state.outcome).toBeUndefined();
    await fork.send('and then?');
    expect(await fork.result).toMatchObject({ status: 'completed', output: 'or not' });
    await verifyRun(fork, team.journal, { requests: team.model.requests });
  });

  it('a fork goes on with what is said to it: its first turn reads it, once', async () => {
    const team = await testEngine({ replies: [{ text: 'the end' }, { text: 'or not' }] });
    const run = await team.launch();
    await run.result;
    const fork = await team.engine.fork(run.id, { message: 'and then?' });
    expect(await fork.result).toMatchObject({ status: 'completed', output: 'or not' });
    expect(JSON.stringify(team.model.requests.at(-1)?.prompt).split('and then?')).toHaveLength(2);
    await expect(team.engine.fork(run.id, { message: { source: 'TOOL_RESULT', payload: '' } })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    expect((await team.engine.runs()).map(({ runId }) => runId)).toHaveLength(2);
    await verifyRun(fork, team.journal, { requests: team.model.requests });
  });

  it('a fork of a run that was cancelled in the middle of a turn goes on before that turn', async () => {
    const held = gate();
    const team = await testEngine({
      ...chatty,
      replies: [() => held.promise.then(() => ({ text: 'too late' })), { text: 'gladly' }],
    });
    const run = await team.launch('Do this.');
    await run.cancel();
    const fork = await team.engine.fork(run.id, { message: 'Or that?' });
    await fork.settled();
    expect(fork.turns().map(({ reply }) => reply.text)).toEqual(['gladly']);
    expect(JSON.stringify(team.model.requests.at(-1)?.prompt)).toMatch(/Do this.*Or that/);
    held.open();
  });
});
