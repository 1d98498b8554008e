import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { spawnRefusal } from '../../core/state/spawn-limits.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import type { WorkModule } from '../../core/team/work-module.ts';
import { chosenTeam, staffingProblem } from './staffing.ts';
import { textOf } from '../reports/text-of.ts';

/** An assignment that can be started. */
export interface AcceptedAssignment {
  readonly input: JsonObject;
  /** The input as the associate is shown it, when it quotes untrusted text. */
  readonly shown?: JsonObject | undefined;
  readonly module: WorkModule;
  readonly profile: CompiledProfile;
  readonly roleName: string;
}

/** An assignment that cannot be started, as given in the call, with the reason. */
export interface FailedPreparation {
  readonly input: JsonValue;
  readonly reason: string;
}

/** Result of checking all assignments of a call; a refused one does not block the others. */
export interface CheckedAssignments {
  readonly accepted: readonly AcceptedAssignment[];
  readonly failed: readonly FailedPreparation[];
}

/**
 * Checks each assignment in the order of A1.9: duplicate, unknown module, module not open, dependencies, profile, inheritance,
 * limits. Only accepted ids count towards duplicates (D1.17).
 */
export function checkAssignments(items: readonly JsonValue[], context: TransitionContext): CheckedAssignments {
  const accepted = new Map<string, AcceptedAssignment>();
  const failed: FailedPreparation[] = [];
  const team = chosenTeam(context.run);
  for (const item of items) {
    const verdict = checkAssignment(isJsonObject(item) ? item : {}, { accepted, team }, context);
    if (typeof verdict === 'string') failed.push({ input: item, reason: verdict });
    else accepted.set(verdict.module.module_id, verdict);
  }
  return { accepted: [...accepted.values()], failed };
}

function checkAssignment(
  input: JsonObject,
  { accepted, team }: { readonly accepted: ReadonlyMap<string, AcceptedAssignment>; readonly team: readonly string[] | undefined },
  context: TransitionContext,
): AcceptedAssignment | string {
  const id = textOf(input['module_id_to_assign']);
  const name = textOf(input['agent_profile_logical_name']);
  if (accepted.has(id)) return `module ${id} is assigned twice in this call; a module has one associate at a time`;
  const modules = context.run.team.workModules;
  const module = Object.hasOwn(modules, id) ? modules[id] : undefined;
  if (module === undefined) return `there is no module ${JSON.stringify(id)}; ${knownModules(modules)}`;
  const profile = context.profiles.get(name);
  const reason =
    moduleReason(module, modules) ??
    staffingProblem(name, context.profiles, team) ??
    inheritanceReason(input, modules) ??
    spawnRefusal(context, accepted.size);
  if (reason !== undefined) return reason;
  if (profile === undefined) return `there is no profile ${JSON.stringify(name)}`;
  return { input, module, profile, roleName: textOf(input['assigned_role_name']) || profile.name };
}

function moduleReason(module: WorkModule, modules: Readonly<Record<string, WorkModule>>): string | undefined {
  if (module.status !== 'pending' && module.status !== 'pending_review') {
    const advice =
      module.status === 'ongoing' ? 'an associate is at work on it' : 'set it to pending first if it is to be worked on again';
    return `module ${module.module_id} is ${module.status}; only pending and pending_review modules can be dispatched: ${advice}`;
  }
  const open = module.depends_on.filter((id) => !Object.hasOwn(modules, id) || modules[id]?.status !== 'completed');
  if (open.length === 0) return undefined;
  const list = open.map((id) => `${id} (${modules[id]?.status ?? 'unknown'})`).join(', ');
  return `module ${module.module_id} depends on modules that are not completed: ${list}; complete them first, or change its depends_on`;
}

function inheritanceReason(input: JsonObject, modules: Readonly<Record<string, WorkModule>>): string | undefined {
  for (const key of ['inherit_messages_from', 'inherit_deliverables_from']) {
    const unknown = listOf(input[key]).filter((id) => typeof id !== 'string' || !Object.hasOwn(modules, id));
    if (unknown.length > 0)
      return `${key} names ${unknown.map((id) => JSON.stringify(id)).join(', ')}, which is no module; ${knownModules(modules)}`;
  }
  return undefined;
}

function knownModules(modules: Readonly<Record<string, WorkModule>>): string {
  const ids = Object.keys(modules);
  return ids.length === 0 ? 'no module exists yet' : `there are: ${ids.join(', ')}`;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
