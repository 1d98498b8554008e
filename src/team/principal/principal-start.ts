import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { briefingEvents, paramSources } from '../dispatch/briefing-events.ts';
import { principalProtocol } from '../handover/built-in-protocols.ts';
import { buildBriefing } from '../handover/handover.ts';
import { HandoverView } from '../handover/handover-scope.ts';
import { readLaunchArguments } from '../handover/launch-arguments.ts';
import { withModules } from '../modules/modules-after.ts';

/** Context of a principal's start: the launching call, and the events committed before the start. */
export interface StartingPoint {
  readonly before: readonly EventDraft[];
  readonly context: TransitionContext;
}

/** Returns the events that start a new principal, which notifies its launcher when done. */
export function freshStart(
  agentId: AgentId,
  profile: CompiledProfile,
  params: JsonObject,
  from: StartingPoint,
): readonly EventDraft[] {
  const { agent, turnId } = from.context;
  const start: EventDraft = {
    type: 'agent.start',
    agentId,
    parentAgentId: agent.meta.agentId,
    profile: profile.name,
    profileType: profile.type,
    depth: agent.meta.depth + 1,
    initialParams: params,
    ...paramSources(from.context),
    notify: { agentId: agent.meta.agentId, source: 'PRINCIPAL_COMPLETED' },
    lastTurnId: turnId,
    flowId: agent.turn.flowId,
  };
  return [start, ...briefing(agentId, params, shownParams(from.context), from)];
}

/**
 * Returns the events that send a principal into another iteration: a new briefing, since its messages are archived, with the new
 * parameters.
 */
export function nextIteration(principal: SubContext, newParams: JsonObject, from: StartingPoint): readonly EventDraft[] {
  const { agentId } = principal.meta;
  const iteration = principal.work.iteration + 1;
  const params = { ...principal.initialParams, ...newParams };
  const shown = shownParams(from.context);
  return [
    ...staleResults(principal),
    { type: 'agent.restart', agentId, iteration, initialParams: params, ...paramSources(from.context) },
    ...briefing(agentId, params, { ...shownBefore(principal, from.context), ...shown }, from),
    from.context.item(agentId, 'PARTNER_DIRECTIVE', directive(shown['new_directives_for_iteration'], iteration), {
      taint: from.context.argsTaint ?? [],
    }),
  ];
}

/** Returns the parameters of a launch as the principal is shown them. */
function shownParams({ shownArgs }: TransitionContext): JsonObject {
  return readLaunchArguments(shownArgs).params;
}

/** Returns the parameters of earlier iterations as the principal is shown them: those that quoted untrusted text are framed. */
function shownBefore({ initialParams, stateTaint }: SubContext, { quotes }: TransitionContext): JsonObject {
  const given = stateTaint.get('initial_params');
  if (given === undefined || given.said === true) return initialParams;
  const own = quotes({ initial_params: { field: () => given.labels } });
  const watch = own.watch({ initial_params: initialParams });
  const params = watch.scope['initial_params'] as JsonObject;
  return Object.fromEntries(Object.keys(initialParams).map((key) => [key, own.shown(watch, params[key]) as JsonValue]));
}

/** Removes results of the last iteration's calls along with its history; late directives stay for the new iteration. */
function staleResults({ meta, inbox: { items: inbox } }: SubContext): readonly EventDraft[] {
  return inbox
    .filter(({ item }) => item.source === 'TOOL_RESULT')
    .map(({ item }): EventDraft => ({ type: 'inbox.drop', agentId: meta.agentId, itemId: item.itemId, reason: 'agent_ended' }));
}

function directive(directives: JsonValue | undefined, iteration: number): JsonObject {
  const given = isJsonObject(directives) ? directives : {};
  const { user_query_adjustment: adjustment, additional_notes: notes } = given;
  return {
    directive_type: 'NEW_ITERATION',
    content: adjustment ?? `Iteration ${iteration} begins. Look over the work modules and carry on.`,
    ...(notes === undefined ? {} : { additional_notes: notes }),
    iteration,
  };
}

function briefing(
  agentId: AgentId,
  params: JsonObject,
  shown: JsonObject,
  { before, context }: StartingPoint,
): readonly EventDraft[] {
  const later = withModules(context, before);
  const view = new HandoverView({ ...later, modules: new Map(Object.entries(later.run.team.workModules)) });
  return briefingEvents(agentId, buildBriefing(principalProtocol(context.protocols), params, view, shown), context);
}
