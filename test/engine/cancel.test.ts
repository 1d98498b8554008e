import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/core/ids.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

describe('I9: cancelling', () => {
  it('a cancelled run ends everything below, aborts its signals, waits for them, and records what comes late', async () => {
    const signals: AbortSignal[] = [];
    const slow = tool('slow', (_args, context) => {
      signals.push(context.signal);
      return new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => setImmediate(() => reject(context.signal.reason)), { once: true });
      });
    });
    const team = await testEngine({
      profile: { Lead: allow('delegate', 'slow'), Worker: allow('slow') },
      tools: [delegate, slow],
      replies: ({ prompt }) => ({
        toolCalls: JSON.stringify(prompt).includes('task')
          ? [{ name: 'slow', args: {} }]
          : [
              { name: 'delegate', args: { to: 'Worker' } },
              { name: 'slow', args: {} },
            ],
      }),
    });
    const run = await team.launch();
    await breathe();
    expect(signals).toHaveLength(2);
    await run.cancel('enough');
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    expect(await run.result).toMatchObject({ status: 'cancelled', error: { message: 'enough' } });
    await breathe();
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'agent.end').map((event) => event.agentId)).toEqual(['Worker_2', 'Lead_1']);
    expect(events.filter((event) => event.type === 'tool.late')).toHaveLength(2);
    await run.cancel('again');
    await expect(run.send('hello?')).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('a tool that takes no notice gets the grace period; what it says then is recorded', async () => {
    const held = heldTool('deaf');
    const team = await testEngine({
      profile: allow('deaf'),
      tools: [held.tool],
      replies: [{ toolCalls: [{ name: 'deaf', args: {} }] }],
    });
    const run = await team.launch();
    await breathe();
    let isOver = false;
    const cancelled = run.cancel('now').then(() => {
      isOver = true;
    });
    await breathe();
    expect(isOver).toBe(false);
    await team.clock.advance(50);
    await cancelled;
    held.gates.get('deaf')?.open('too late');
    await breathe();
    const events = await verifyRun(run, team.journal, {});
    expect(events.filter((event) => event.type === 'tool.late')).toMatchObject([{ content: 'too late' }]);
  });

  it('cancelling one agent ends those below it, tells its parent, and waits for nobody else', async () => {
    const held = heldTool('other');
    const team = await testEngine({
      profile: { Lead: waitsForUser + allow('delegate', 'other'), Worker: '' },
      tools: [delegate, held.tool],
      replies: ({ prompt }, index) =>
        JSON.stringify(prompt).includes('"task"') || JSON.stringify(prompt).includes('Task')
          ? { hang: true }
          : index === 0
            ? {
                toolCalls: [
                  { name: 'delegate', args: { to: 'Worker' } },
                  { name: 'other', args: {} },
                ],
              }
            : { text: 'noted' },
    });
    const run = await team.launch();
    await breathe();
    expect(run.state.agents.get('Worker_2' as AgentId)?.status).toBe('in_turn');
    await run.cancel('not needed', { agentId: 'Worker_2' });
    expect(run.state.outcome).toBeUndefined();
    await expect(run.send('x', { to: 'Worker_2' })).rejects.toMatchObject({ code: 'AGENT_ENDED' });
    held.gates.get('other')?.open('x');
    await run.settled();
    expect(run.turns({ agentId: 'Lead_1' })[0]?.toolInteractions[0]?.content).toContain('Worker_2 ended: cancelled');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it.each(['at once', 'later'])('a launch signal that is aborted %s cancels the run', async (when) => {
    const team = await testEngine({ replies: [{ hang: true }] });
    const controller = new AbortController();
    const launched = team.launch('Go.', { signal: controller.signal });
    if (when === 'at once') controller.abort();
    const run = await launched;
    await breathe();
    controller.abort();
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    await verifyRun(run, team.journal, {});
  });

  it('a launch with a signal that is aborted already starts nothing', async () => {
    const team = await testEngine({ replies: [{ text: 'x' }] });
    await expect(team.launch('Go.', { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(await team.engine.runs()).toEqual([]);
  });

  it('a run that waits for a person is cancelled as well', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'hello' }] });
    const run = await team.launch();
    await run.settled();
    await run.cancel();
    expect(await run.result).toMatchObject({ status: 'cancelled', output: 'hello' });
    await verifyRun(run, team.journal, {});
  });
});
