import { toStatePatch } from '../../core/patches/change-state.ts';
import type { Env } from '../../core/env.ts';
import type { AgentId } from '../../core/ids.ts';
import { changesText, type ProfileChange } from '../../core/events/profile-edit.ts';
import type { EventDraft } from '../../core/events/event.ts';
import { redactChanges } from '../../core/secrets/redact-changes.ts';
import { type ChangedModules, moduleChanges } from '../../core/team/module-changes.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { recheckWaiting } from '../../nodes/tools/check-call-start.ts';
import { revokedBy } from '../../nodes/tools/capability-of.ts';
import { recordTools } from '../toolsets/note-toolset.ts';
import type { OfferedTools } from '../toolsets/toolset-hold.ts';
import { applyModuleActions, type ModuleAction, type ModuleActionsResult } from '../../team/modules/module-actions.ts';
import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { ArgumentCheck } from '../../core/tool/argument-check.ts';
import { profileOf } from '../../core/turn-context.ts';
import { judgeGates } from '../../nodes/tools/tool-gates.ts';
import type { DecisionContext } from '../run/decision-context.ts';

/** Records changed profiles and notifies the agents that plan. Agents use the profiles from their next turn on. */
export function applyProfileEdits(
  tx: Transaction,
  env: Env,
  edited: {
    readonly files: string;
    readonly changes: readonly ProfileChange[];
    readonly tools: readonly OfferedTools[];
    readonly by?: string;
  },
): void {
  const { seq } = tx.emit({
    type: 'profiles.update',
    profiles: tx.content(edited.files),
    changes: edited.changes,
    ...(edited.by === undefined ? {} : { by: edited.by }),
    ...revokedBy(env, tx.run),
  });
  recordTools(tx, edited.tools, seq);
  const payload = `The profiles of this run were changed while it goes on: ${changesText(edited.changes)}.`;
  for (const to of planners(tx.run)) tx.post(to, { source: 'PROFILES_UPDATED_NOTIFICATION', payload }, seq);
  recheckWaiting(tx, env);
}

/** Applies a person's changes to the plan, all or nothing, and notifies the agents that plan. Impossible changes were refused before. */
export function applyModuleEdits(
  tx: Transaction,
  env: Env,
  { actions, by: person }: { readonly actions: readonly ModuleAction[]; readonly by?: string },
): void {
  const result = moduleEdits(env, tx.run, actions, { at: tx.at, person });
  const by = person === undefined ? {} : { by: person };
  if (!result.ok) return;
  const payload = `A person changed the plan: ${result.touched.map(({ module_id: id, name, status }) => `${id} (${name}) is ${status}`).join('; ')}.`;
  const [first, ...others] = planners(tx.run);
  if (first === undefined) return;
  // The message from outside is the cause of the changes.
  const { seq } = tx.post(first, { source: 'WORK_MODULES_EDITED', payload, ...by });
  for (const event of result.events) tx.emit(event, seq);
  for (const to of others) tx.post(to, { source: 'WORK_MODULES_EDITED', payload, ...by }, seq);
}

/** Returns the outcome of a person's changes to the plan, without applying them. */
export function moduleEdits(
  env: Env,
  run: RunContext,
  actions: readonly ModuleAction[],
  { at, person }: { readonly at: number; readonly person?: string | undefined },
): ModuleActionsResult {
  const modules = run.team.workModules;
  const created = run.counters.modules;
  const change = (changed: ChangedModules): readonly EventDraft[] => {
    const changes = moduleChanges(modules, changed, { actor: 'planner', created, at });
    const event = toStatePatch(redactChanges(changes, env.secrets), { by: 'person', person });
    return event === undefined ? [] : [event];
  };
  return applyModuleActions(actions, { modules, created, at, change });
}

/** Returns the active agents that work on no module of the plan: the planners are among them. All active agents, when there is none. */
function planners(run: RunContext): readonly AgentId[] {
  const atWork = [...run.agents.values()].filter(({ status }) => status !== 'ended');
  const free = atWork.filter(({ work: { moduleScope } }) => moduleScope === undefined);
  return (free.length === 0 ? atWork : free).map(({ meta }) => meta.agentId);
}

/**
 * Returns why a call must not run with the arguments a person gave: they do not fit the tool, or a gate denies them. Undefined when it may
 * run. A refused call stays suspended.
 */
export function editProblem(
  run: RunContext,
  { env }: DecisionContext,
  { agent, call }: { readonly agent: SubContext; readonly call: CallState },
  args: JsonObject,
): CadreError | undefined {
  const { name, turnId } = call.request;
  const profile = profileOf(env, agent);
  const tool = env.toolsOf(profile, agent).tools.get(name);
  if (tool === undefined) return goneTool(agent, name);
  const checked = tool.check(args);
  if (!checked.ok)
    return new CadreError(
      'TOOL_ARGUMENTS_INVALID',
      `the new arguments do not fit '${name}', and the call still waits: ${problemsText(checked)}`,
    );
  const { gate } = judgeGates({ run, agent, profile }, env, { tool, args: checked.args, turnId });
  if (gate?.verdict !== 'deny') return undefined;
  const why = gate.message ?? `not allowed here (gate '${gate.id}')`;
  return new CadreError('TOOL_DENIED', `'${name}' must not run with the new arguments, and the call still waits: ${why}`);
}

/**
 * Returns why a call must not run unchanged: its agent no longer has the tool. Undefined when it may run. A refused call stays suspended.
 */
export function goneProblem(
  { env }: DecisionContext,
  { agent, call }: { readonly agent: SubContext; readonly call: CallState },
): CadreError | undefined {
  const { name } = call.request;
  return env.toolsOf(profileOf(env, agent), agent).tools.has(name) ? undefined : goneTool(agent, name);
}

function goneTool({ meta }: SubContext, name: string): CadreError {
  return new CadreError('TOOL_MISSING', `'${name}' is no tool of ${meta.agentId} any more, and the call still waits; reject it`);
}

/** Describes why a value does not fit its schema, in one line. */
export function problemsText({ errors }: Extract<ArgumentCheck, { ok: false }>, whole = 'arguments'): string {
  return errors.map(({ path, message }) => `${path === '' ? whole : path}: ${message}`).join('; ');
}
