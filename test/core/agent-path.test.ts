import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callerOf } from '../../src/core/state/agent-path.ts';
import type { SubContext } from '../../src/core/state/sub-context.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';

/** A run as far as paths of agents need one. */
function emptyRun(): RunContext {
  return { meta: { runId: 'run_1' }, agents: new Map<string, SubContext>() } as unknown as RunContext;
}

function start(run: RunContext, profile: string, parentAgentId: string | undefined): SubContext {
  const agentId = `a${run.agents.size + 1}`;
  const agent = { meta: { agentId, profile, parentAgentId } } as unknown as SubContext;
  run.agents.set(agent.meta.agentId, agent);
  return agent;
}

describe('agent paths', () => {
  it('number children of one kind in the order they were started, whenever they are asked for', () => {
    const child = fc.record({ profile: fc.constantFrom('A', 'B'), parent: fc.nat(9), isAsked: fc.boolean() });
    fc.assert(
      fc.property(fc.array(child, { maxLength: 30 }), (children) => {
        const run = emptyRun();
        const root = start(run, 'Root', undefined);
        for (const { profile, parent, isAsked } of children) {
          const above = [...run.agents.keys()][parent % run.agents.size];
          const agent = start(run, profile, above);
          if (isAsked) expect(callerOf(run, agent).path).toContain('Root/');
        }
        const seen = new Map<string, number>();
        for (const agent of run.agents.values()) {
          if (agent === root) continue;
          const above = run.agents.get(agent.meta.parentAgentId ?? root.meta.agentId) ?? root;
          const key = `${callerOf(run, above).path}/${agent.meta.profile}`;
          const twin = (seen.get(key) ?? 0) + 1;
          seen.set(key, twin);
          expect(callerOf(run, agent).path).toBe(twin === 1 ? key : `${key}#${twin}`);
        }
      }),
    );
  });
});
