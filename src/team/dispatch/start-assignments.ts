import { toErrorRecord } from '../../core/error.ts';
import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { HandoverProtocol } from '../../core/profile/profile.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import type { Assignment, WorkModule } from '../../core/team/work-module.ts';
import { briefingEvents, paramSources } from './briefing-events.ts';
import { associateProtocol } from '../handover/built-in-protocols.ts';
import type { AcceptedAssignment, FailedPreparation } from './check-assignment.ts';
import type { DispatchMemo, StartedAssignment } from './dispatch-memo.ts';
import { buildBriefing, type Briefing } from '../handover/handover.ts';
import { HandoverView } from '../handover/handover-scope.ts';
import { freeSlots } from './parallel-slots.ts';

interface Prepared {
  readonly assignment: AcceptedAssignment;
  readonly params: JsonObject;
  readonly briefing: Briefing;
}

/** The events that start assignments, and the data the dispatch must keep. */
export interface StartedAssignments {
  readonly events: readonly EventDraft[];
  readonly memo: DispatchMemo;
}

/** A call that starts assignments. */
interface StartingCall {
  readonly sharedContext: JsonObject;
  /** The shared context as associates are shown it, when it quotes untrusted text. */
  readonly shownContext?: JsonObject;
  readonly maxParallel: number;
  readonly context: TransitionContext;
}

/**
 * Starts the accepted assignments: module to `ongoing`, dispatch record, agent, briefing. Holds agents beyond the cap. An
 * assignment whose briefing cannot be built joins the failed ones; its siblings still start.
 */
export function startAssignments(
  accepted: readonly AcceptedAssignment[],
  alreadyFailed: readonly FailedPreparation[],
  call: StartingCall,
): StartedAssignments {
  const { context } = call;
  const { prepared, failed } = prepare(accepted, call);
  const agentIds = context.agentIds(prepared.map((entry) => entry.assignment.profile.name));
  const slots = freeSlots(context, call.maxParallel);
  const started: StartedAssignment[] = [];
  const events: EventDraft[] = [];
  const begun: BegunModule[] = [];
  for (const [index, entry] of prepared.entries()) {
    const agentId = agentIds[index];
    if (agentId === undefined) continue;
    const dispatchId = `D_${context.run.counters.dispatches + index + 1}`;
    events.push(...startEvents(entry, { agentId, dispatchId, held: index >= slots }, context));
    const { module } = entry.assignment;
    begun.push({ module, entry: { dispatch_id: dispatchId, agent_id: agentId, started_at: context.at, outcome: 'running' } });
    started.push({ moduleId: module.module_id, agentId });
  }
  return { events: [...beginModules(begun, context), ...events], memo: { started, failed: [...alreadyFailed, ...failed] } };
}

interface BegunModule {
  readonly module: WorkModule;
  readonly entry: Assignment;
}

/** Moves modules to `ongoing` and records their assignees. */
function beginModules(begun: readonly BegunModule[], { changeModules, run }: TransitionContext): readonly EventDraft[] {
  const changed = new Map<string, WorkModule>();
  for (const { module, entry } of begun) {
    const assignee_history = [...module.assignee_history, entry];
    changed.set(module.module_id, { ...module, status: 'ongoing', review_info: null, assignee_history });
  }
  return changeModules(changed, { moves: 'dispatch', on: run });
}

function prepare(accepted: readonly AcceptedAssignment[], { sharedContext, shownContext = sharedContext, context }: StartingCall) {
  const protocol = associateProtocol(context.protocols);
  // Briefings describe modules as they will be when read, that is, ongoing.
  const modules = new Map(Object.entries(context.run.team.workModules));
  for (const { module } of accepted) modules.set(module.module_id, { ...module, status: 'ongoing' });
  const view = new HandoverView({ ...context, modules });
  const prepared: Prepared[] = [];
  const failed: FailedPreparation[] = [];
  for (const assignment of accepted) {
    const params = { ...sharedContext, ...assignment.input, assigned_role_name: assignment.roleName };
    const { shown } = assignment;
    const briefing = brief(protocol, params, view, shown === undefined ? params : { ...shownContext, ...shown });
    if (typeof briefing === 'string') failed.push({ input: assignment.input, reason: briefing });
    else prepared.push({ assignment, params, briefing });
  }
  return { prepared, failed };
}

function brief(protocol: HandoverProtocol, params: JsonObject, view: HandoverView, shown: JsonObject): Briefing | string {
  try {
    return buildBriefing(protocol, params, view, shown);
  } catch (error) {
    return `the briefing could not be built by protocol ${protocol.name}: ${toErrorRecord(error, 'INTERNAL').message}`;
  }
}

function startEvents(
  { assignment, params, briefing }: Prepared,
  place: { readonly agentId: AgentId; readonly dispatchId: string; readonly held: boolean },
  context: TransitionContext,
): readonly EventDraft[] {
  const { module, profile, roleName } = assignment;
  const { agentId, dispatchId, held } = place;
  return [
    {
      type: 'dispatch.update',
      dispatchId,
      patch: {
        dispatch_id: dispatchId,
        call_id: context.callId,
        module_id: module.module_id,
        agent_id: agentId,
        profile: profile.name,
        role_name: roleName,
        status: held ? 'QUEUED' : 'RUNNING',
        started_at: context.at,
      },
    },
    {
      type: 'agent.start',
      agentId,
      parentAgentId: context.agent.meta.agentId,
      profile: profile.name,
      profileType: profile.type,
      roleName,
      moduleId: module.module_id,
      depth: context.agent.meta.depth + 1,
      initialParams: params,
      ...paramSources(context),
      callId: context.callId,
      lastTurnId: context.turnId,
      flowId: context.agent.turn.flowId,
      ...(held ? { held: true } : {}),
    },
    ...briefingEvents(agentId, briefing, context),
  ];
}
