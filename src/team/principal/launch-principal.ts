import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import { spawnRefusal } from '../../core/state/spawn-limits.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { findPrincipal, principalType } from './find-principal.ts';
import { launchParameters, readLaunchArguments, type LaunchArguments } from '../handover/launch-arguments.ts';
import { staffingProblem, type Profiles } from '../dispatch/staffing.ts';
import { teamTool } from '../team-tool.ts';
import { dataOutcome, refusal } from '../tool-outcome.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { freshStart, nextIteration } from './principal-start.ts';
import { settleAssignment, type Ending } from '../dispatch/settle-assignment.ts';

/**
 * Creates the tool that starts a principal in the background, or sends the last one into another iteration (A1.10). Other systems
 * call this tool `LaunchPrincipalExecutionTool`.
 */
export function launchPrincipal(): TransitionTool {
  return teamTool({
    name: 'launch_principal',
    description:
      'Launches the principal on the current work modules and returns at once; you are told when it has completed. Plan at least one work module first.',
    toolset: 'launch_tools',
    effect: 'idempotent',
    handoverProtocol: 'partner_to_principal_initial_briefing',
    parameters: launchParameters,
    run: (args, context) => launch(readLaunchArguments(args), context),
  });
}

function launch(args: LaunchArguments, context: TransitionContext): TransitionOutcome {
  const principal = findPrincipal(context.run, context.agent);
  const problem = teamProblem(args.team, context) ?? briefingProblem(args, principal) ?? goneProblem(args, principal, context);
  if (problem !== undefined) return refusal(`The principal was not launched: ${problem}`);
  const running = principal !== undefined && principal.status !== 'ended';
  if (running && !args.force) return ignoredRunning(principal);
  if (args.fresh && !hasOpenModule(context)) return ignoredEmptyPlan();
  const ended = running ? endSubtree(principal, 'ended to be launched again', context) : [];
  const before = [...ended, ...teamEvents(args.team, context)];
  if (!args.fresh && principal !== undefined) {
    const iteration = principal.work.iteration + 1;
    return launched(principal.meta.agentId, iteration, [...before, ...nextIteration(principal, args.params, { before, context })]);
  }
  return startFresh(args, before, context);
}

function teamProblem(team: readonly string[] | undefined, { profiles }: TransitionContext): string | undefined {
  const problems = (team ?? []).flatMap((name) => staffingProblem(name, profiles, undefined) ?? []);
  return problems.length === 0 ? undefined : `confirmed_associate_profiles: ${problems.join(' ')}`;
}

function briefingProblem(args: LaunchArguments, principal: SubContext | undefined): string | undefined {
  if (!args.fresh)
    return principal === undefined
      ? 'no principal has run yet, so there is nothing to continue; use iteration_mode start_fresh'
      : undefined;
  const briefing = args.params['initial_briefing_for_principal'];
  return isJsonObject(briefing) ? undefined : 'initial_briefing_for_principal is missing; give it at least { "user_query": "…" }';
}

/** Returns an error text when the principal's profile no longer exists, since profiles may change during a run. */
function goneProblem(
  args: LaunchArguments,
  principal: SubContext | undefined,
  { profiles }: TransitionContext,
): string | undefined {
  if (args.fresh || principal === undefined || profiles.get(principal.meta.profile)?.isActive === true) return undefined;
  return `profile ${principal.meta.profile} of the last principal no longer exists; use iteration_mode start_fresh`;
}

function ignoredRunning(principal: SubContext): TransitionOutcome {
  return dataOutcome({
    status: 'ignored_principal_running',
    agent_id: principal.meta.agentId,
    message:
      'A principal is running; nothing was changed. Send it a directive, wait until it has completed, or set force_terminate_and_relaunch to end it first.',
  });
}

function ignoredEmptyPlan(): TransitionOutcome {
  return dataOutcome({
    status: 'ignored_empty_plan',
    message:
      'The plan has no work module that is still to be done; nothing was launched. Create at least one with manage_work_modules first.',
  });
}

function hasOpenModule({ run }: TransitionContext): boolean {
  return Object.values(run.team.workModules).some((module) => module.status !== 'completed' && module.status !== 'deprecated');
}

/** Stores the chosen team where `team.profiles` and dispatch read it. */
function teamEvents(team: readonly string[] | undefined, { change }: TransitionContext): readonly EventDraft[] {
  if (team === undefined) return [];
  // Names of profiles, which were checked.
  return change(
    (draft) => {
      draft.team.shared['profiles_list'] = [...team];
    },
    { taint: [] },
  );
}

function startFresh(args: LaunchArguments, before: readonly EventDraft[], context: TransitionContext): TransitionOutcome {
  const { profiles } = context;
  const profile = principalProfile(args.profile, profiles);
  if (typeof profile === 'string') return refusal(`The principal was not launched: ${profile}`);
  const limit = spawnRefusal(context, 0);
  const [agentId] = context.agentIds([profile.name]);
  if (limit !== undefined || agentId === undefined)
    return refusal(`The principal was not launched: ${limit ?? 'the engine has no id for it'}`);
  return launched(agentId, 1, [...before, ...freshStart(agentId, profile, args.params, { before, context })]);
}

function launched(agentId: AgentId, iteration: number, events: readonly EventDraft[]): TransitionOutcome {
  const message = 'The principal works in the background. You will be told when it has completed; there is no need to ask.';
  return dataOutcome({ status: 'launched', agent_id: agentId, iteration, message }, events);
}

const preferredName = 'Principal';

/** Returns the profile to launch: the named one, otherwise `Principal`, otherwise any of that type; or the reason there is none. */
function principalProfile(name: string | undefined, profiles: Profiles): CompiledProfile | string {
  const usable = [...profiles.values()].filter(
    (profile) => profile.type === principalType && profile.isActive && !profile.isDeleted,
  );
  const names = usable.map((profile) => profile.name);
  const wanted = name ?? preferredName;
  const found = usable.find((profile) => profile.name === wanted) ?? (name === undefined ? usable[0] : undefined);
  if (found !== undefined) return found;
  if (names.length === 0) return `no active profile has type ${principalType}, so there is none to launch; add one to the profiles`;
  const guess = closestName(wanted, names);
  return `${JSON.stringify(wanted)} is no active profile of type ${principalType}${guess === undefined ? '' : `; did you mean ${guess}?`} There are: ${names.join(', ')}.`;
}

/**
 * Returns the events that cancel an agent and its descendants, deepest first (I9): each running agent ends as `cancelled`, and its
 * work modules leave `ongoing`.
 */
function endSubtree(agent: SubContext, reason: string, context: TransitionContext): readonly EventDraft[] {
  const below = agent.children.flatMap((id) => {
    const child = context.run.agents.get(id);
    return child === undefined ? [] : endSubtree(child, reason, context);
  });
  if (agent.status === 'ended') return below;
  const { agentId } = agent.meta;
  const ending: Ending = { outcome: 'cancelled', output: '', deliverables: agent.deliverables, error: reason };
  const end: EventDraft = {
    type: 'agent.end',
    agentId,
    outcome: 'cancelled',
    output: '',
    deliverables: agent.deliverables,
    error: { code: 'TOOL_CANCELLED', message: reason },
  };
  return [...below, end, ...settleAssignment(agent, ending, context)];
}
