import { toStatePatch } from '../../core/patches/change-state.ts';
import type { Env } from '../../core/env.ts';
import type { AgentId } from '../../core/ids.ts';
import { changesText, type ProfileChange } from '../../core/events/profile-edit.ts';
import type { EventDraft } from '../../core/events/event.ts';
import type { Recipe } from '../../core/patches/state-draft.ts';
import { patchedState } from '../../core/patches/state-patch.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { recheckWaiting } from '../../nodes/tools/check-call-start.ts';
import { revokedBy } from '../../nodes/tools/revoked-by.ts';
import { recordTools } from '../toolsets/note-toolset.ts';
import type { OfferedTools } from '../toolsets/toolset-hold.ts';
import { applyModuleActions, type ModuleAction, type ModuleActionsResult } from '../../team/modules/module-actions.ts';

/** Records changed profiles and notifies the agents that plan. Agents use the profiles from their next turn on. */
export function applyProfileEdits(
  tx: Transaction,
  env: Env,
  edited: { readonly files: string; readonly changes: readonly ProfileChange[]; readonly tools: readonly OfferedTools[] },
): void {
  const { seq } = tx.emit({
    type: 'profiles.update',
    profiles: tx.content(edited.files),
    changes: edited.changes,
    ...revokedBy(env, tx.run),
  });
  recordTools(tx, edited.tools, seq);
  const payload = `The profiles of this run were changed while it goes on: ${changesText(edited.changes)}.`;
  for (const to of planners(tx.run)) tx.post(to, { source: 'PROFILES_UPDATED_NOTIFICATION', payload }, seq);
  recheckWaiting(tx, env);
}

/** Applies a person's changes to the plan, all or nothing, and notifies the agents that plan. Impossible changes were refused before. */
export function applyModuleEdits(tx: Transaction, env: Env, actions: readonly ModuleAction[]): void {
  const result = moduleEdits(env, tx.run, actions, tx.at);
  if (!result.ok) return;
  const payload = `A person changed the plan: ${result.touched.map(({ module_id: id, name, status }) => `${id} (${name}) is ${status}`).join('; ')}.`;
  const [first, ...others] = planners(tx.run);
  if (first === undefined) return;
  // The message from outside is the cause of the changes.
  const { seq } = tx.post(first, { source: 'WORK_MODULES_EDITED', payload });
  for (const event of result.events) tx.emit(event, seq);
  for (const to of others) tx.post(to, { source: 'WORK_MODULES_EDITED', payload }, seq);
}

/** Returns the outcome of a person's changes to the plan, without applying them. */
export function moduleEdits(env: Env, run: RunContext, actions: readonly ModuleAction[], at: number): ModuleActionsResult {
  const owner = { owner: 'the edit', actor: 'planner', created: run.counters.modules, at } as const;
  const change = (recipe: Recipe): readonly EventDraft[] => {
    const event = toStatePatch(env.recipe(patchedState(run, undefined), recipe, owner), { by: 'person' });
    return event === undefined ? [] : [event];
  };
  return applyModuleActions(actions, { created: run.counters.modules, at, change });
}

/** Returns the active agents that work on no module of the plan: the planners are among them. All active agents, when there is none. */
function planners(run: RunContext): readonly AgentId[] {
  const atWork = [...run.agents.values()].filter(({ status }) => status !== 'ended');
  const free = atWork.filter(({ work: { moduleScope } }) => moduleScope === undefined);
  return (free.length === 0 ? atWork : free).map(({ meta }) => meta.agentId);
}
