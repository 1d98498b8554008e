import type { ModelCaller } from '../model/model.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';

// Pure cache: keyed by an agent, whose place in its team never changes.
const callers = new WeakMap<SubContext, ModelCaller>();

/**
 * Returns a stable name of an agent, the same in every run in which its team does the same:
 * `Partner/Principal/Associate[wm_2]`. It lists the profiles from the root down, each with its work module, and `#2` for the
 * second child of the same kind. Returns the same record for the same agent.
 */
export function callerOf(run: RunContext, agent: SubContext): ModelCaller {
  const known = callers.get(agent);
  if (known !== undefined) return known;
  const { meta } = agent;
  const parent = meta.parentAgentId === undefined ? undefined : run.agents.get(meta.parentAgentId);
  const kind = kindOf(agent);
  const twin = twinsBefore(run, agent) + 1;
  const step = twin === 1 ? kind : `${kind}#${twin}`;
  const path = parent === undefined ? step : `${callerOf(run, parent).path}/${step}`;
  const caller: ModelCaller = { runId: run.meta.runId, path };
  callers.set(agent, caller);
  return caller;
}

function kindOf({ meta }: SubContext): string {
  return meta.moduleId === undefined ? meta.profile : `${meta.profile}[${meta.moduleId}]`;
}

/** Count of a run's agents so far, by parent and kind. */
interface Census {
  /** Never exhausted, so it also yields agents that start later. */
  readonly agents: Iterator<SubContext>;
  counted: number;
  readonly kinds: Map<string, number>;
  readonly twins: WeakMap<SubContext, number>;
}

// Pure cache: keyed by a state; counts agents, which only grow, each once.
const censuses = new WeakMap<RunContext, Census>();

/** Counts the agents of the same kind that its parent started earlier. Amortised: each agent is counted once for all its siblings. */
function twinsBefore(run: RunContext, agent: SubContext): number {
  const census = censuses.get(run) ?? { agents: run.agents.values(), counted: 0, kinds: new Map(), twins: new WeakMap() };
  censuses.set(run, census);
  for (; census.counted < run.agents.size; census.counted++) {
    const { value } = census.agents.next();
    if (value === undefined) break;
    const key = `${value.meta.parentAgentId ?? ''} ${kindOf(value)}`;
    const before = census.kinds.get(key) ?? 0;
    census.kinds.set(key, before + 1);
    census.twins.set(value, before);
  }
  return census.twins.get(agent) ?? 0;
}
