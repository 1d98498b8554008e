import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/core/events/event.ts';
import { createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const minute = 60_000;

describe('a deadline stops what is in flight', () => {
  it('a model call: interrupted, one last turn without tools, then limit with what was said', async () => {
    const team = await testEngine({
      profile: `limits: { max_wall_seconds: 20 }\n${allow('t')}`,
      tools: [tool('t', () => 'x')],
      replies: [{ text: 'half of it', toolCalls: [{ name: 't', args: {} }] }, { hang: true }, { text: 'all I have' }],
    });
    const run = await team.launch();
    await breathe();
    await team.clock.advance(20_000);
    expect(await run.result).toMatchObject({
      status: 'failed',
      outcome: 'limit',
      output: 'all I have',
      error: { code: 'LIMIT_REACHED' },
    });
    expect(run.turns().map(({ status, limit }) => [status, limit?.stage])).toEqual([
      ['completed', undefined],
      ['interrupted', undefined],
      ['completed', 2],
    ]);
    expect(team.model.requests.at(-1)?.toolChoice).toEqual({ type: 'none' });
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(reaches(events).map(({ stage, limit, scope }) => [stage, scope, limit])).toEqual([
      [1, 'agent', 'wall_seconds'],
      [2, 'agent', 'wall_seconds'],
    ]);
    expect(team.clock.nextBackgroundIn).toBeUndefined();
  });

  it('a tool: told to stop, its result within the grace counts, one that does not stop is given up', async () => {
    const stopped = gate();
    const team = await testEngine({
      profile: `limits: { max_wall_seconds: 20 }\n${allow('polite', 'deaf')}`,
      tools: [
        tool('polite', async (_args, { signal }) => {
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
          stopped.open();
          return 'stopped in time';
        }),
        tool('deaf', () => new Promise(() => undefined)),
      ],
      replies: [
        {
          toolCalls: [
            { name: 'polite', args: {} },
            { name: 'deaf', args: {} },
          ],
        },
        { text: 'so far' },
      ],
    });
    const run = await team.launch();
    await breathe();
    await team.clock.advance(20_000);
    await stopped.promise;
    await breathe();
    await team.clock.advance(50);
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'so far' });
    expect(run.turns()[0]?.toolInteractions.map(({ status, content }) => [status, String(content).slice(0, 15)])).toEqual([
      ['ok', 'stopped in time'],
      ['unknown', '{"error":"TOOL_'],
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('what waits for a person is answered, and agents below end as limit with what they had', async () => {
    const ask = defineTransitionTool({
      name: 'ask',
      description: 'Asks.',
      run: () => ({ kind: 'suspend', on: { kind: 'question', prompt: 'Well?' }, memo: null }),
    });
    const team = await testEngine({
      profile: {
        Root: `limits: { max_wall_seconds: 20 }\n${allow('ask', 'delegate')}`,
        Worker: allow('t'),
      },
      tools: [ask, delegate, tool('t', () => 'x')],
      replies: (request, index) =>
        index === 0
          ? {
              toolCalls: [
                { name: 'ask', args: {} },
                { name: 'delegate', args: { to: 'Worker' } },
              ],
            }
          : index === 1
            ? { text: 'a first finding', toolCalls: [{ name: 't', args: {} }] }
            : index === 2
              ? { hang: true }
              : { text: 'that is it' },
    });
    const run = await team.launch();
    await breathe();
    await team.clock.advance(20_000);
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'that is it' });
    const worker = run.state.agents.get('Worker_2' as never);
    expect(worker).toMatchObject({ result: { outcome: 'limit', output: 'a first finding', error: { code: 'LIMIT_REACHED' } } });
    expect(run.turns({ agentId: 'Root_1' })[0]?.toolInteractions.map(({ error, content }) => error?.code ?? content)).toEqual([
      'LIMIT_REACHED',
      'Worker_2 ended: limit',
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('the last turn is bounded: when it hangs, too, the agent ends with what it had said', async () => {
    const team = await testEngine({
      profile: `limits: { max_wall_seconds: 20 }\n${allow('t')}`,
      tools: [tool('t', () => 'x')],
      replies: (_request, index) => (index === 0 ? { text: 'early words', toolCalls: [{ name: 't', args: {} }] } : { hang: true }),
    });
    const run = await team.launch();
    await breathe();
    await team.clock.advance(20_000);
    await team.clock.advance(20 * minute);
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'early words', error: { code: 'LIMIT_REACHED' } });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('of the whole run: everybody below the root ends, the root has the last word', async () => {
    const team = await testEngine({
      profile: { Root: allow('delegate'), Worker: '' },
      tools: [delegate],
      replies: (_request, index) =>
        index === 0
          ? { toolCalls: [{ name: 'delegate', args: { to: 'Worker' } }] }
          : index === 1
            ? { hang: true }
            : { text: 'in short' },
    });
    const run = await team.launch('Go.', { limits: { wallMs: 20_000 } });
    await breathe();
    await team.clock.advance(20_000);
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'in short' });
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(reaches(events).map(({ agentId, stage, scope }) => [agentId, stage, scope])).toEqual([
      ['Root_1', 1, 'run'],
      ['Worker_2', 1, 'run'],
      ['Root_1', 2, 'run'],
    ]);
  });
});

describe('time that does not count', () => {
  it('waiting for the user, however long; what is left counts on', async () => {
    const team = await testEngine({
      profile: `limits: { max_wall_seconds: 20 }\n${waitsForUser}`,
      replies: [{ text: 'hello' }, { hang: true }, { text: 'last' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(team.clock.nextBackgroundIn).toBeUndefined();
    await team.clock.advance(24 * 60 * minute);
    expect(run.state.status).toBe('awaiting');
    await run.send('go on');
    await breathe();
    await team.clock.advance(19_000);
    expect(run.state.status).toBe('running');
    await team.clock.advance(1_000);
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'last' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it.each([-3_600_000, 10 * 365 * 24 * 3_600_000])(
    'a jump of the wall clock by %i ms neither fires nor loses a deadline',
    async (jump) => {
      const team = await testEngine({
        profile: `limits: { max_wall_seconds: 60 }\n${allow('slow')}`,
        tools: [tool('slow', () => new Promise(() => undefined), { timeout_ms: 10_000 })],
        replies: () => ({ toolCalls: [{ name: 'slow', args: {} }] }),
      });
      const run = await team.launch();
      await team.clock.advance(15_000);
      team.clock.setWall(team.clock.now() + jump);
      await team.clock.advance(30_000);
      expect(run.state.status).toBe('running');
      await team.clock.advance(20_000);
      expect(await run.result).toMatchObject({ outcome: 'limit' });
      const events = await verifyRun(run, team.journal, { requests: team.model.requests });
      expect(events.filter(({ type }) => type === 'clock.jump')).toMatchObject([{ ms: jump }]);
      expect(reaches(events).at(-1)).toMatchObject({ used: 60, allowed: 60 });
    },
  );

  it('time in which no process had the run; a deadline that is left fires in the next one', async () => {
    const store = createMemoryJournal();
    const clock = manualClock();
    const parts = { profile: 'limits: { max_wall_seconds: 20 }', store, clock };
    const first = await testEngine({ ...parts, replies: [{ hang: true }] });
    const run = await first.launch();
    await clock.advance(15_000);
    await first.engine.close();
    await clock.advance(60 * minute);
    const second = await testEngine({ ...parts, replies: (_request, index) => (index === 0 ? { hang: true } : { text: 'late' }) });
    const again = await second.engine.resume(run.id);
    await breathe();
    // What it had worked before it was closed is known up to its last event, with which its model call was charged.
    await clock.advance(4_000);
    expect(again.state.status).toBe('running');
    await clock.advance(1_000);
    expect(await again.result).toMatchObject({ outcome: 'limit', output: 'late' });
    await verifyRun(again, store);
  });

  it('an agent that awaits is woken for its last word when others use up the time', async () => {
    const team = await testEngine({
      profile: {
        Root: `limits: { max_wall_seconds: 20 }\n${allow('delegate')}flow_decider: [{ id: t, condition: state.current_action, action: { type: continue_with_tool } }, { id: w, action: { type: await_user_input } }]`,
        Worker: '',
      },
      tools: [{ ...delegate, run: background }],
      replies: (_request, index) =>
        index === 0
          ? { toolCalls: [{ name: 'delegate', args: { to: 'Worker' } }] }
          : index < 3
            ? index === 2
              ? { hang: true }
              : { text: 'I wait.' }
            : { text: 'bye' },
    });
    const run = await team.launch();
    await breathe();
    await team.clock.advance(20_000);
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'bye' });
    await verifyRun(run, team.journal);
  });
});

/** Starts a child and does not wait for it. */
const background: typeof delegate.run = (args, context) => {
  const outcome = delegate.run(args, context);
  return { kind: 'result', content: 'started', events: outcome.events ?? [] };
};

function reaches(events: readonly { readonly type: string }[]): readonly EventOf<'limit.reach'>[] {
  return events.filter((event): event is EventOf<'limit.reach'> => event.type === 'limit.reach');
}
