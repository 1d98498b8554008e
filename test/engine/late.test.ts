import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/core/ids.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const call = (name: string, args: object = {}) => ({ name, args: args as Record<string, never> });

/** Never ends by itself, and stops when it is told to. */
const heedful = tool(
  'slow',
  (_args, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })),
);

describe('what comes late', () => {
  it('a result that comes after its run has ended and was let go changes nothing and breaks nothing', async () => {
    const held = heldTool('slow', { timeout_ms: 1_000 });
    const team = await testEngine({
      profile: allow('slow'),
      tools: [held.tool],
      replies: [{ toolCalls: [call('slow')] }, { text: 'done' }],
    });
    const run = await team.launch();
    await breathe();
    await team.clock.advance(1_000);
    expect(await run.result).toMatchObject({ status: 'completed' });
    await breathe();
    held.gates.get('slow')?.open('much too late');
    await breathe();
    const seen: string[] = [];
    for await (const event of run) seen.push(event.type);
    expect(seen).toHaveLength(run.state.seq);
    await verifyRun(run, team.journal, { requests: team.model.requests });
    expect((await team.engine.resume(run.id)).state.outcome).toBe('success');
  });

  it('E8: each child that ends tells its parent once, whichever ends first', async () => {
    const team = await testEngine({
      profile: { Lead: waitsForUser + allow('delegate'), Worker: allow('slow') },
      tools: [delegate, heedful],
      replies: ({ prompt }) =>
        JSON.stringify(prompt).includes('"tool"')
          ? { text: 'ended' }
          : JSON.stringify(prompt).includes('Task')
            ? { toolCalls: [call('slow')] }
            : { toolCalls: [call('delegate', { to: 'Worker' }), call('delegate', { to: 'Worker' })] },
    });
    const run = await team.launch();
    await breathe();
    await run.cancel('the second', { agentId: 'Worker_3' });
    expect(run.turns({ agentId: 'Lead_1' })).toHaveLength(1);
    await run.cancel('the first', { agentId: 'Worker_2' });
    await run.settled();
    const results = run.turns({ agentId: 'Lead_1' })[0]?.toolInteractions.map(({ content }) => content) ?? [];
    expect(results).toEqual(['Worker_2 ended: cancelled', 'Worker_3 ended: cancelled']);
    expect(run.turns({ agentId: 'Lead_1' })).toHaveLength(2);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('I1: an agent that starts anew does not read the results of its former life', async () => {
    const again = defineTransitionTool({
      name: 'again',
      description: 'Starts the worker anew.',
      run: (_args, context) => ({
        kind: 'result',
        content: 'restarted',
        events: [
          { type: 'agent.restart', agentId: 'Worker_2' as AgentId, iteration: 2, initialParams: {} },
          context.item('Worker_2' as AgentId, 'AGENT_STARTUP_BRIEFING', { task: 'once more' }),
        ],
      }),
    });
    const team = await testEngine({
      profile: { Lead: waitsForUser + allow('delegate', 'again'), Worker: waitsForUser + allow('slow', 'fast') },
      tools: [delegate, again, heedful, tool('fast', () => 'an old result')],
      replies: ({ prompt }, index) =>
        [
          { toolCalls: [call('delegate', { to: 'Worker' })] },
          { toolCalls: [call('fast'), call('slow')] },
          { toolCalls: [call('again')] },
        ][index] ?? { text: `reply to ${prompt.length}` },
    });
    const run = await team.launch();
    await breathe();
    await run.cancel('stop it', { agentId: 'Worker_2' });
    await run.settled();
    const [, second] = run.turns({ agentId: 'Worker_2' });
    expect(second?.inputs.map(({ source }) => source)).toEqual(['AGENT_STARTUP_BRIEFING']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});
