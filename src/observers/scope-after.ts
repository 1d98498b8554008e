import { agentScope } from '../core/agent-scope.ts';
import type { Scope } from '../core/expression/expression.ts';
import type { StateEdit } from '../core/state-edit.ts';
import type { AgentState, RunState } from '../core/state.ts';
import type { TurnViewEnv } from '../core/turn-view.ts';

/** The roots of expressions as they will be once the changes so far are committed: later updates of one action read earlier ones. */
export function scopeAfter(env: TurnViewEnv, run: RunState, agent: AgentState, edit: StateEdit): Scope {
  const shared: PropertyDescriptor = { get: () => edit.state.team.shared };
  const team: unknown = Object.create(run.team, { shared });
  const laterRun = Object.create(run, { team: { value: team } }) as RunState;
  const laterAgent = Object.create(agent, {
    flags: { get: () => edit.state.flags },
    values: { get: () => edit.state.values },
    deliverables: { get: () => edit.state.deliverables },
  }) as AgentState;
  return agentScope(env, laterRun, laterAgent);
}
