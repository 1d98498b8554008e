import { agentScope } from '../core/state/agent-scope.ts';
import type { Scope } from '../core/expression/expression.ts';
import type { StateEdit } from '../core/patches/state-edit.ts';
import type { SubContext } from '../core/state/sub-context.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { TurnViewEnv } from '../core/state/turn-view.ts';

/** The roots of expressions as they will be once the changes so far are committed: later updates of one action read earlier ones. */
export function scopeAfter(env: TurnViewEnv, run: RunContext, agent: SubContext, edit: StateEdit): Scope {
  const shared: PropertyDescriptor = { get: () => edit.state.team.shared };
  const team: unknown = Object.create(run.team, { shared });
  const laterRun = Object.create(run, { team: { value: team } }) as RunContext;
  const laterAgent = Object.create(agent, {
    flags: { get: () => edit.state.flags },
    values: { get: () => edit.state.values },
    deliverables: { get: () => edit.state.deliverables },
  }) as SubContext;
  return agentScope(env, laterRun, laterAgent);
}
