import type { AgentId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { isAwaitingUser } from '../../core/state/is-asking.ts';
import { type AgentRequest, type Admission, admitCall } from './admit-call.ts';
import { type AgentReport, reportOf } from './agent-report.ts';
import { releaseHeld, isAnyoneAtWork } from './agent-slots.ts';
import { fromStoredCalls, type MadeCall, toStoredCalls } from './call-memo.ts';
import { toErrorRecord } from '../../core/error.ts';
import type { EventDraft } from '../../core/events/event.ts';
import { liveRefusal, liveRoom } from '../../core/state/spawn-limits.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { briefingEvents, paramSources } from '../dispatch/briefing-events.ts';
import { buildBriefing, type Briefing } from '../handover/handover.ts';
import { HandoverView } from '../handover/handover-scope.ts';

/** Builds the answer to a call, once all of its agents have ended or wait. */
export type Answer = (reports: readonly AgentReport[]) => { readonly content: JsonValue; readonly isError: boolean };

/*
 * A call that puts agents to work and waits for them.
 *
 * 1. Every request of a call is in its answer, once, in the order it was made.
 * 2. A call is answered in the commit in which its last agent ends or begins to wait (I7): a crash loses neither, nor doubles it.
 * 3. How one agent ends changes nothing for the others.
 */

/** Begins a call and suspends it; answers immediately if no agent started. */
export function beginCall(requests: readonly AgentRequest[], context: TransitionContext, answer: Answer): TransitionOutcome {
  const { calls, events } = beginCalls(requests, context);
  const agentIds = agentsOf(calls);
  if (agentIds.length === 0) return { kind: 'result', ...answer(calls.map((call) => reportOf(call, context.run))), events };
  return { kind: 'suspend', on: { kind: 'agents', agentIds, orWait: true }, memo: toStoredCalls(calls), events };
}

/** Continues a call whenever one of its agents ends or begins to wait. */
export function continueCall(stored: JsonValue, context: TransitionContext, answer: Answer): TransitionOutcome {
  const { run } = context;
  const calls = fromStoredCalls(stored);
  const events = releaseHeld(context);
  const agents = agentsOf(calls).flatMap((id) => run.agents.get(id) ?? []);
  const waiting = agents.filter(isAwaitingUser);
  if (agents.every((agent) => agent.status === 'ended' || isAwaitingUser(agent)))
    return {
      kind: 'result',
      ...answer(calls.map((call) => reportOf(call, run))),
      events,
      quotes: waiting.map(({ meta }) => meta.agentId),
    };
  // Returns the same wait and memo objects, so that storage can detect that nothing changed.
  const waitFor = context.agent.calls.open.get(context.callId)?.waitFor;
  const on = waitFor?.kind === 'agents' ? waitFor : ({ kind: 'agents', agentIds: agentsOf(calls), orWait: true } as const);
  return { kind: 'suspend', on, memo: stored, events };
}

function agentsOf(calls: readonly MadeCall[]): readonly AgentId[] {
  return calls.flatMap((call) => ('agentId' in call ? [call.agentId] : []));
}

/** Result of beginning a call: one entry per request, in order, and the events that commit with it. */
interface BegunCalls {
  readonly calls: readonly MadeCall[];
  readonly events: readonly EventDraft[];
}

type Admitted = Exclude<Admission, { kind: 'refused' }> & { readonly request: AgentRequest; readonly briefing: Briefing };

/**
 * Starts new agents for requests, and continues existing ones with their history. A request that fails does not block the others.
 * New agents without a free slot are held until one of the caller's agents ends; one of them is always at work then, so that none
 * is held forever.
 */
function beginCalls(requests: readonly AgentRequest[], context: TransitionContext): BegunCalls {
  const admitted = admitAll(requests, context);
  const names = admitted.flatMap((entry) =>
    typeof entry !== 'string' && entry.kind === 'start' ? [entry.request.callee.profile.name] : [],
  );
  const newIds = [...context.agentIds(names)];
  let room = liveRoom(context.run, context.profiles, context.agent);
  for (const entry of admitted)
    if (typeof entry !== 'string' && entry.kind === 'go_on' && entry.agent.status === 'ended') room -= 1;
  let hasBegun = admitted.some((entry) => typeof entry !== 'string' && entry.kind === 'go_on');
  const events: EventDraft[] = [];
  const calls = requests.map(({ callee }, index): MadeCall => {
    const profile = callee.profile.name;
    const entry = admitted[index];
    if (entry === undefined || typeof entry === 'string') return { profile, refused: entry ?? '' };
    if (entry.kind === 'go_on') {
      events.push(...goOnEvents(entry, entry.agent, context));
      return { profile, agentId: entry.agent.meta.agentId };
    }
    const held = room <= 0;
    if (held && !hasBegun && !isAnyoneAtWork(context)) return { profile, refused: liveRefusal(context.run) };
    const agentId = newIds.shift();
    if (agentId === undefined) return { profile, refused: 'the engine has no id for it' };
    room -= 1;
    hasBegun = true;
    events.push(...startEvents(entry, { agentId, held }, context));
    return { profile, agentId };
  });
  return { calls, events };
}

/** Returns each request with its briefing, or the reason it is refused. */
function admitAll(requests: readonly AgentRequest[], context: TransitionContext): readonly (Admitted | string)[] {
  const { run, agent, scope, quotes } = context;
  const view = new HandoverView({ run, agent, scope, quotes });
  const goingOn = new Set<string>();
  let started = 0;
  return requests.map((request) => {
    const admission = admitCall(request, { started, goingOn }, context);
    if (admission.kind === 'refused') return admission.reason;
    const { protocol } = request.callee;
    let briefing: Briefing;
    try {
      briefing = buildBriefing(protocol, request.params, view, request.shown);
    } catch (error) {
      return `the briefing could not be built by protocol ${protocol.name}: ${toErrorRecord(error, 'INTERNAL').message}`;
    }
    if (admission.kind === 'start') started += 1;
    else goingOn.add(admission.agent.meta.agentId);
    return { ...admission, request, briefing };
  });
}

function startEvents(
  { request, briefing }: Admitted,
  { agentId, held }: { readonly agentId: AgentId; readonly held: boolean },
  context: TransitionContext,
): readonly EventDraft[] {
  const { agent, callId, turnId } = context;
  const { profile } = request.callee;
  const start: EventDraft = {
    type: 'agent.start',
    agentId,
    parentAgentId: agent.meta.agentId,
    profile: profile.name,
    profileType: profile.type,
    depth: agent.meta.depth + 1,
    initialParams: request.params,
    ...paramSources(context),
    callId,
    lastTurnId: turnId,
    flowId: agent.turn.flowId,
    ...(held ? { held: true } : {}),
  };
  return [start, ...briefingEvents(agentId, briefing, context)];
}

function goOnEvents({ request, briefing }: Admitted, agent: SubContext, context: TransitionContext): readonly EventDraft[] {
  const { agentId } = agent.meta;
  const restart: EventDraft = {
    type: 'agent.restart',
    agentId,
    iteration: agent.work.iteration + 1,
    initialParams: { ...agent.initialParams, ...request.params },
    ...paramSources(context),
    callId: context.callId,
    keepsHistory: true,
  };
  return [restart, ...briefingEvents(agentId, briefing, context)];
}
