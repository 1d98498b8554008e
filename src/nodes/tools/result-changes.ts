import type { TurnContext } from '../../core/turn-context.ts';
import { toStatePatch } from '../../core/patches/change-state.ts';
import type { FittedResult } from '../../core/env.ts';
import { StateEdit } from '../../core/patches/state-edit.ts';
import { patchedState } from '../../core/patches/state-patch.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { StatePatch } from '../../core/events/team-events.ts';
import { updateState } from '../../core/patches/update-state.ts';

/**
 * Returns the state changes that a tool's result brings: first its values, then its update on top of them.
 *
 * @throws Error when a value does not fit the existing state, or the update is not allowed; nothing is changed then
 */
export function resultChanges(
  context: TurnContext,
  call: CallState,
  { values, update }: Pick<FittedResult, 'values' | 'update'>,
): readonly StatePatch[] {
  const { tx, env, agent } = context;
  if (values === undefined && update === undefined) return [];
  const { name, turnId } = call.request;
  const edit = new StateEdit(patchedState(tx.run, agent));
  for (const [key, value] of Object.entries(values ?? {}))
    updateState(edit, { operation: 'set', path: `values.${key}`, value: value ?? null });
  const owner = { owner: `tool '${name}'`, actor: 'planner', created: tx.run.counters.modules, at: tx.at } as const;
  const updated = update === undefined ? undefined : env.recipe(edit.state, update, owner);
  const from = env.catalog.get(name)?.trust === 'trusted' ? undefined : name;
  const place = { agentId: agent.meta.agentId, turnId, by: name, from };
  return [edit, ...(updated === undefined ? [] : [updated])].flatMap((changes) => toStatePatch(changes, place) ?? []);
}
