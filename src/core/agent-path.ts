import type { ModelCaller } from './model.ts';
import type { AgentState, RunState } from './state.ts';

const callers = new WeakMap<AgentState, ModelCaller>();

/**
 * Who an agent is, in words that are the same whenever its team does the same again: `Partner/Principal/Associate[wm_2]`, the
 * profiles from the root down, each with its work module, and with `#2` for the second child of the same kind. The same record for
 * the same agent, always.
 */
export function callerOf(run: RunState, agent: AgentState): ModelCaller {
  const known = callers.get(agent);
  if (known !== undefined) return known;
  const { meta } = agent;
  const parent = meta.parentAgentId === undefined ? undefined : run.agents.get(meta.parentAgentId);
  const kind = kindOf(agent);
  const twin = twinsBefore(run, agent, parent, kind) + 1;
  const step = twin === 1 ? kind : `${kind}#${twin}`;
  const path = parent === undefined ? step : `${callerOf(run, parent).path}/${step}`;
  const caller: ModelCaller = { runId: run.meta.runId, path };
  callers.set(agent, caller);
  return caller;
}

function kindOf({ meta }: AgentState): string {
  return meta.moduleId === undefined ? meta.profile : `${meta.profile}[${meta.moduleId}]`;
}

/** How many agents of the same kind its parent had before it. */
function twinsBefore(run: RunState, agent: AgentState, parent: AgentState | undefined, kind: string): number {
  let twins = 0;
  for (const other of run.agents.values()) {
    if (other === agent) break;
    if (other.meta.parentAgentId === parent?.meta.agentId && kindOf(other) === kind) twins += 1;
  }
  return twins;
}
