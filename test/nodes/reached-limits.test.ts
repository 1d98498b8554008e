import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TurnContext } from '../../src/core/turn-context.ts';
import { areAllFar, reachedLimits } from '../../src/nodes/limits/limits.ts';

const root = { agentId: 'Root', profile: 'P' };
const child = { agentId: 'Child', profile: 'P', parentAgentId: 'Root' };
const names = ['turns', 'tool_calls', 'tokens', 'cost_usd'] as const;

/** A limit, and what is used of it. */
const counted = fc.record({ used: fc.nat(40), allowed: fc.integer({ min: 3, max: 40 }) });
const four = fc.tuple(counted, counted, counted, counted);

it('a limit is reached exactly when what is used comes near what is allowed, for the agent, the agents above it and the run', () => {
  fc.assert(
    fc.property(four, four, fc.boolean(), fc.constantFrom(0.5, 0.8, 1), (own, ofRun, isChild, softAt) => {
      const [turns, calls, tokens, cost] = own;
      const limits = { maxTurns: turns.allowed, maxToolCalls: calls.allowed, maxTokens: tokens.allowed, maxCostUsd: cost.allowed };
      const agentOf = (meta: object, budget: object): object => ({
        meta,
        counters: { turnCount: turns.used, toolCallCount: calls.used },
        limits: { budget, warned: [] },
        work: {},
      });
      const spent = { tokens: tokens.used, cost: cost.used };
      // A child has spent nothing itself: what the agent above it has spent counts all the same.
      const above = agentOf(root, spent);
      const agent = isChild ? agentOf(child, { tokens: 0, cost: 0 }) : above;
      const [runTurns, runCalls, runTokens, runCost] = ofRun;
      const run = {
        agents: new Map([['Root', above]]),
        counters: { turns: runTurns.used, toolCalls: runCalls.used },
        budget: { tokens: runTokens.used, cost: runCost.used },
        limits: {
          maxTurns: runTurns.allowed,
          maxToolCalls: runCalls.allowed,
          maxTokens: runTokens.allowed,
          maxCostUsd: runCost.allowed,
          softAt,
        },
      };
      const profile = { limits };
      const env = { profiles: new Map([['P', profile]]) };
      const context = { env, run, agent, profile } as unknown as TurnContext;
      const found = reachedLimits(context);
      const near = [...own, ...ofRun].map(({ used, allowed }, index) => ({ used, allowed, limit: names[index % 4] }));
      const expected = near.filter(({ used, allowed }) => used >= allowed * softAt);
      const usedUp = expected.find(({ used, allowed }) => used >= allowed);
      if (areAllFar(context)) expect(found, 'where the quick look finds nothing, there is nothing').toEqual([]);
      if (usedUp !== undefined) expect(found).toMatchObject([{ stage: 2 }]);
      else expect(found.map(({ limit }) => limit).toSorted()).toEqual(expected.map(({ limit }) => limit).toSorted());
    }),
    { numRuns: 2_000 },
  );
});
