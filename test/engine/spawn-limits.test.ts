import { describe, expect, it } from 'vitest';
import { defaultRunLimits } from '../../src/core/profile/limits.ts';
import type { AgentId } from '../../src/core/ids.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { delegate } from '../support/delegate.ts';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const spawner = allow('delegate');
const delegateTo = (count: number) => ({
  toolCalls: Array.from({ length: count }, () => ({ name: 'delegate', args: { to: 'Root' } })),
});

/** A tool that starts children without any regard for limits, and lies about their depth. */
const swarm = defineTransitionTool({
  name: 'swarm',
  description: 'Starts agents.',
  parameters: { type: 'object', properties: { n: { type: 'integer' }, held: { type: 'boolean' } }, required: ['n'] },
  run: (args, context) => {
    const { n, held } = args as { readonly n: number; readonly held?: boolean };
    const ids = context.agentIds(Array.from({ length: n }, () => 'Root'));
    return {
      kind: 'result',
      content: `started ${ids.length}`,
      events: ids.map((agentId: AgentId) => ({
        type: 'agent.start' as const,
        agentId,
        parentAgentId: context.agent.meta.agentId,
        profile: 'Root',
        profileType: 'associate',
        depth: -100,
        initialParams: {},
        flowId: 'flow',
        ...(held === true ? { held } : {}),
      })),
    };
  },
});

describe('caps on agents (E7)', () => {
  it('agents that do nothing but start agents end by themselves, within every default cap', async () => {
    const team = await testEngine({ profile: spawner, tools: [delegate], replies: () => delegateTo(4) });
    const run = await team.launch();
    const result = await run.result;
    expect(result.outcome).toBe('limit');
    expect(run.state.agents.size).toBeLessThanOrEqual(defaultRunLimits.maxTotal);
    expect(run.state.agents.size).toBeGreaterThan(60);
    expect(Math.max(...[...run.state.agents.values()].map(({ meta }) => meta.depth))).toBeLessThanOrEqual(
      defaultRunLimits.maxDepth,
    );
    const events = await verifyRun(run, team.journal);
    let live = 0;
    let most = 0;
    for (const { type } of events) {
      if (type === 'agent.start') live += 1;
      if (type === 'agent.end') live -= 1;
      most = Math.max(most, live);
    }
    expect(most).toBeLessThanOrEqual(defaultRunLimits.maxLive);
    expect(run.state.budget).toMatchObject({ live: 0, agents: run.state.agents.size });
  });

  it.each([
    ['maxLive', { live: 3 }, 3],
    ['maxTotal', { total: 3 }, 3],
    ['maxChildren', { children: 2 }, 3],
    ['maxDepth', { depth: 0 }, 1],
  ])('%s: a tool of somebody cannot start more, and is told the limit and where to raise it', async (name, limits, fits) => {
    const team = await testEngine({
      profile: allow('swarm'),
      tools: [swarm],
      replies: [{ toolCalls: [{ name: 'swarm', args: { n: fits } }] }, { text: 'done' }],
    });
    const run = await team.launch('Go.', { limits });
    await run.result;
    expect(run.state.agents.size).toBe(1);
    const [call] = run.turns()[0]?.toolInteractions ?? [];
    expect(call).toMatchObject({ status: 'error', error: { code: 'LIMIT_REACHED' } });
    expect(JSON.stringify(call?.content)).toMatch(
      new RegExp(`limit ${name}\\); have it raised under limits of the profile, the launch or the engine`),
    );
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('held agents count as started, not as at work; their depth is what it is', async () => {
    const team = await testEngine({
      profile: allow('swarm'),
      tools: [swarm],
      replies: [{ toolCalls: [{ name: 'swarm', args: { n: 5, held: true } }] }, { text: 'done' }],
    });
    const run = await team.launch('Go.', { limits: { live: 2, total: 6 } });
    expect((await run.result).outcome).toBe('success');
    expect(run.state.agents.size).toBe(6);
    expect([...run.state.agents.values()].map(({ meta }) => meta.depth)).toEqual([0, 1, 1, 1, 1, 1]);
    await verifyRun(run, team.journal);
  });

  it('a profile bounds its agents together with all below them', async () => {
    const team = await testEngine({
      profile: `limits: { max_total: 3 }\n${allow('swarm')}`,
      tools: [swarm],
      replies: [
        { toolCalls: [{ name: 'swarm', args: { n: 3, held: true } }] },
        { toolCalls: [{ name: 'swarm', args: { n: 2, held: true } }] },
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    await run.result;
    expect(run.state.agents.size).toBe(3);
  });
});

describe('tool calls', () => {
  it('those of one reply that a limit leaves no room for are refused one by one, the others run', async () => {
    let ran = 0;
    const team = await testEngine({
      profile: `limits: { max_tool_calls: 3 }\n${allow('t')}`,
      tools: [tool('t', () => `ran ${++ran}`)],
      replies: [{ toolCalls: Array.from({ length: 5 }, () => ({ name: 't', args: {} })) }, { text: 'that is all' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'that is all' });
    expect(ran).toBe(3);
    expect(run.turns()[0]?.toolInteractions.map(({ status, error }) => error?.code ?? status)).toEqual([
      'ok',
      'ok',
      'ok',
      'LIMIT_REACHED',
      'LIMIT_REACHED',
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});
