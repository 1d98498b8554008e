import type { EventOf } from '../../src/core/events/event.ts';
import type { AgentId } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { TeamRun, type CallResult, type TeamRunOptions } from './team-run.ts';

/** An assignment of a module to an associate. */
export function assignment(moduleId: string, changes: JsonObject = {}): JsonObject {
  return {
    module_id_to_assign: moduleId,
    agent_profile_logical_name: 'Researcher',
    assigned_role_name: `Worker on ${moduleId}`,
    assignment_specific_instructions: `Do ${moduleId}`,
    ...changes,
  };
}

/** A run with a principal and so many pending work modules. */
export function plannedRun(modules: number, options: TeamRunOptions = {}): { readonly team: TeamRun; readonly principal: AgentId } {
  const team = new TeamRun(options);
  const principal = team.start('Principal', team.partner);
  const actions = Array.from({ length: modules }, (_, index) => ({
    action: 'create',
    name: `Module ${index + 1}`,
    description: 'Find out.',
  }));
  if (modules > 0) team.call(principal, 'manage_work_modules', { actions });
  return { team, principal };
}

/** Dispatches assignments for a principal. */
export function dispatch(team: TeamRun, principal: AgentId, ...assignments: JsonObject[]): CallResult {
  return team.call(principal, 'dispatch_submodules', { assignments });
}

/** The agent that has, or had last, a module. */
export function associate(team: TeamRun, moduleId: string): AgentId {
  const agentId = team.associates(moduleId).at(-1);
  if (agentId === undefined) throw new Error(`${moduleId} has no associate`);
  return agentId;
}

/** The starts of all associates, in order. */
export function starts(team: TeamRun): readonly EventOf<'agent.start'>[] {
  return team.events.flatMap((event) => (event.type === 'agent.start' && event.moduleId !== undefined ? [event] : []));
}
