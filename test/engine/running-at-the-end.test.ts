import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/core/ids.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { concludeRun } from '../../src/inspect/conclude.ts';
import { formatOverview } from '../../src/inspect/format/format-overview.ts';
import { formatTurn } from '../../src/inspect/format/turn/format-turn.ts';
import { runOverview } from '../../src/inspect/run-overview.ts';
import type { CadreEvent, Run } from '../../src/index.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, type TestEngine, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const call = (name: string, args: object = {}) => ({ name, args: args as Record<string, never> });

/** Cancels, lets the grace period pass, and waits for the cancel. */
async function cancel(team: TestEngine, run: Run, what: Parameters<Run['cancel']>[1] = {}): Promise<void> {
  const cancelled = run.cancel('enough', what);
  await breathe();
  await team.clock.advance(100);
  await cancelled;
  await breathe();
}

function ends(events: readonly CadreEvent[]): Readonly<Record<string, string>> {
  return Object.fromEntries(events.flatMap((event) => (event.type === 'tool.end' ? [[event.callId, event.status]] : [])));
}

const runEnd = (events: readonly CadreEvent[]) => events.find((event) => event.type === 'run.end');

describe('F89: a call that still runs when its agent ends', () => {
  it('may have happened, and its run names it, until its late result is in', async () => {
    const held = heldTool('pay');
    const team = await testEngine({ profile: allow('pay'), tools: [held.tool], replies: [{ toolCalls: [call('pay')] }] });
    const run = await team.launch();
    await breathe();
    await cancel(team, run);
    const running = [{ agentId: 'Root_1', callId: 'c00000001', tool: 'pay' }];
    const result = await run.result;
    expect(result).toMatchObject({ status: 'cancelled', running });
    expect(result).toMatchObject({ error: { message: 'enough' }, unknown: running });
    expect(concludeRun(run.state).problem).toContain('May have happened, find out before you repeat it: pay (c00000001) of Root_1');
    expect(runEnd(await team.journal.read(run.id))).toMatchObject({ running });
    expect(runOverview(run.state)).toMatchObject({ unknown: running, running });
    const shown = formatOverview(runOverview(run.state));
    expect(shown).toContain('may have happened: pay (c00000001) of Root_1');
    expect(shown).toContain('still running: pay (c00000001) of Root_1');
    const [paid] = run.turns()[0]?.toolInteractions ?? [];
    expect(paid).toMatchObject({ status: 'unknown', isRunning: true, late: undefined, error: { code: 'TOOL_OUTCOME_UNKNOWN' } });
    expect(paid?.error?.message).toContain("'pay' was still running when its agent ended. It may or may not have happened");

    held.gates.get('pay')?.open('paid 10');
    await breathe();
    const [later] = run.turns()[0]?.toolInteractions ?? [];
    expect(later).toMatchObject({ status: 'unknown', isRunning: false, late: { status: 'ok', content: 'paid 10' } });
    expect(runOverview(run.state)).toMatchObject({ unknown: [], running: [] });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('of parallel calls, each that may have acted has an unknown outcome, and one that only reads is cancelled', async () => {
    const tools = [
      heldTool('look', { effect: 'pure' }),
      heldTool('note', { effect: 'idempotent' }),
      heldTool('check', { effect: 'verifiable', verify: 'look' }),
      heldTool('pay'),
    ];
    const names = tools.map((held) => held.tool.name);
    const team = await testEngine({
      profile: allow(...names, 'wait'),
      tools: [...tools.map((held) => held.tool), tool('wait', () => 'unused', { concurrency: 'exclusive' })],
      replies: [{ toolCalls: [...names, 'wait'].map((name) => call(name)) }],
    });
    const run = await team.launch();
    await breathe();
    await cancel(team, run);
    const events = await team.journal.read(run.id);
    expect(Object.values(ends(events))).toEqual(['cancelled', 'unknown', 'unknown', 'unknown', 'cancelled']);
    expect(runEnd(events)?.running?.map(({ tool: name }) => name)).toEqual(names);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a tool that stops when it is told to says so late, with its error', async () => {
    const pay = tool('pay', async (_args, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw new Error('the connection was closed');
    });
    const team = await testEngine({ profile: allow('pay'), tools: [pay], replies: [{ toolCalls: [call('pay')] }] });
    const run = await team.launch();
    await breathe();
    await cancel(team, run);
    const [paid] = run.turns()[0]?.toolInteractions ?? [];
    expect(paid).toMatchObject({
      status: 'unknown',
      isRunning: false,
      late: { status: 'cancelled', error: { message: 'the connection was closed' } },
    });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('is told to those who wait for the agent, and for the agents above it', async () => {
    const held = heldTool('pay');
    const heard: string[] = [];
    const team = await testEngine({
      profile: { Lead: waitsForUser + allow('delegate'), Middle: allow('delegate'), Worker: allow('pay') },
      tools: [delegate, held.tool],
      replies: ({ prompt }) => {
        const text = JSON.stringify(prompt);
        if (text.includes('ended: cancelled')) return { text: 'I see' };
        if (text.includes('Go.')) return { toolCalls: [call('delegate', { to: 'Middle' })] };
        return heard.push('') === 1 ? { toolCalls: [call('delegate', { to: 'Worker' })] } : { toolCalls: [call('pay')] };
      },
    });
    const run = await team.launch();
    await breathe();
    await cancel(team, run, { agentId: 'Middle_2' });
    const unknown = [{ agentId: 'Worker_3', callId: 'c00000003', tool: 'pay' }];
    const told = (['Worker_3', 'Middle_2'] as AgentId[]).map((id) => run.state.agents.get(id)?.result.unknown);
    expect(told).toEqual([unknown, unknown]);
    // The run goes on, and still names the call when it ends.
    await cancel(team, run);
    expect(runEnd(await team.journal.read(run.id))?.running).toEqual(unknown);
    held.gates.get('pay')?.open('paid');
    await breathe();
    expect([...run.state.agents.values()].map(({ result }) => result.unknown)).toEqual([[], [], []]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('has an unknown outcome when a limit stops it and it does not stop; one that stops may have done a part', async () => {
    for (const heeds of [false, true]) {
      const pay = tool('pay', async (_args, { signal }) => {
        await new Promise((resolve) => {
          if (heeds) signal.addEventListener('abort', resolve, { once: true });
        });
        throw signal.reason as Error;
      });
      const team = await testEngine({
        profile: allow('pay'),
        tools: [pay],
        replies: [{ toolCalls: [call('pay')] }, { text: 'out of time' }],
      });
      const run = await team.launch('Go.', { limits: { wallMs: 1_000 } });
      await breathe();
      await team.clock.advance(1_000);
      await breathe();
      await team.clock.advance(100);
      await breathe();
      const [paid] = run.turns()[0]?.toolInteractions ?? [];
      expect(paid?.status).toBe(heeds ? 'cancelled' : 'unknown');
      expect(paid?.error?.message).toContain(heeds ? 'may have done part of its work' : 'may or may not have happened');
      const result = await run.result;
      expect(result.running?.map(({ tool: name }) => name)).toEqual(heeds ? undefined : ['pay']);
      expect(JSON.stringify(team.model.requests.at(-1)?.prompt)).toContain(heeds ? 'part of its work' : 'TOOL_OUTCOME_UNKNOWN');
      await verifyRun(run, team.journal, { requests: team.model.requests });
    }
  });

  it('a call that timed out is named as running until it reports', async () => {
    const held = heldTool('pay', { timeout_ms: 1_000 });
    const team = await testEngine({
      profile: allow('pay'),
      tools: [held.tool],
      replies: [{ toolCalls: [call('pay')] }, { text: 'done' }],
    });
    const run = await team.launch();
    await breathe();
    await team.clock.advance(1_000);
    expect((await run.result).running?.map(({ tool: name }) => name)).toEqual(['pay']);
    held.gates.get('pay')?.open('paid');
    await breathe();
    expect(run.state.running.size).toBe(0);
    expect(formatTurn(run.turns()[0] as never)).toContain('paid');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a question about whether an interrupted call happened leaves it unknown when the agent is cancelled', async () => {
    const never = tool('pay', async () => await new Promise(() => undefined), { on_unknown: 'ask_human' });
    const options = { profile: allow('pay'), tools: [never], replies: [{ toolCalls: [call('pay')] }] };
    const first = await testEngine(options);
    const { id } = await first.launch();
    await breathe();
    const closed = first.engine.close({ graceMs: 0 });
    await breathe();
    await first.clock.advance(100);
    await closed;
    const team = await testEngine({ ...options, store: first.journal });
    const run = await team.engine.resume(id);
    await run.settled();
    expect(run.pending).toHaveLength(1);
    await cancel(team, run);
    const end = runEnd(await team.journal.read(id));
    expect(end?.running).toBeUndefined();
    expect((await run.result).unknown?.map(({ tool: name }) => name)).toEqual(['pay']);
    expect(Object.values(ends(await team.journal.read(id)))).toEqual(['unknown']);
  });

  it('an agent that goes on with its history learns that the call may have happened, and what is known of it since', async () => {
    const again = defineTransitionTool({
      name: 'again',
      description: 'Has the worker go on.',
      run: (_args, context) => ({
        kind: 'result',
        content: 'restarted',
        events: [
          { type: 'agent.restart', agentId: 'Worker_2' as AgentId, iteration: 2, initialParams: {}, keepsHistory: true },
          context.item('Worker_2' as AgentId, 'AGENT_STARTUP_BRIEFING', { task: 'once more' }),
        ],
      }),
    });
    for (const reports of [false, true]) {
      const held = heldTool('pay');
      const team = await testEngine({
        profile: { Lead: waitsForUser + allow('delegate', 'again'), Worker: waitsForUser + allow('pay') },
        tools: [delegate, again, held.tool],
        replies: ({ prompt }, index) =>
          [{ toolCalls: [call('delegate', { to: 'Worker' })] }, { toolCalls: [call('pay')] }, { toolCalls: [call('again')] }][
            index
          ] ?? { text: `reply to ${prompt.length}` },
      });
      const run = await team.launch();
      await breathe();
      if (reports) {
        const cancelled = cancel(team, run, { agentId: 'Worker_2' });
        held.gates.get('pay')?.open('paid');
        await cancelled;
      } else await cancel(team, run, { agentId: 'Worker_2' });
      await run.settled();
      const second = run.turns({ agentId: 'Worker_2' })[1];
      const told = JSON.stringify(second?.inputs.find(({ role }) => role === 'tool')?.content);
      expect(told).toContain('TOOL_OUTCOME_UNKNOWN');
      expect(told).toContain(reports ? 'Its tool ended since: ok' : 'may or may not have happened');
      await verifyRun(run, team.journal, { requests: team.model.requests });
    }
  });
});
