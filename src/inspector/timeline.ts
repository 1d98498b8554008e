import type { AgentId, CallId, TurnId } from '../core/ids.ts';
import type { RunState, TurnState } from '../core/state.ts';
import type { TurnType } from '../core/turn.ts';
import type { EventAt } from './cause-chain.ts';
import type { TurnStatus } from './turn-record.ts';

/** A part of a turn: waiting in the inbox, preparing, calling the model, running tools. Open parts have no end. */
export interface TimelinePart {
  readonly kind: 'wait' | 'prep' | 'exec' | 'tools';
  readonly from: number;
  readonly to: number | undefined;
}

/** A tool call on the timeline. */
export interface TimelineCall {
  readonly callId: CallId;
  readonly name: string;
  readonly status: string;
  readonly from: number;
  readonly to: number | undefined;
}

/** One turn on the timeline. */
export interface TimelineBar {
  readonly turnId: TurnId;
  readonly turnType: TurnType;
  readonly status: TurnStatus;
  readonly from: number;
  readonly to: number | undefined;
  readonly parts: readonly TimelinePart[];
  readonly calls: readonly TimelineCall[];
}

/** One agent on the timeline. */
export interface TimelineLane {
  readonly agentId: AgentId;
  readonly parentAgentId: AgentId | undefined;
  readonly profile: string;
  readonly roleName: string | undefined;
  readonly status: string;
  readonly bars: readonly TimelineBar[];
}

/** Why a turn came about: an earlier turn, or a tool call of one. */
export interface TimelineLink {
  readonly kind: 'turn' | 'call';
  readonly from: TurnId;
  readonly to: TurnId;
}

/** A run over time; all times in milliseconds since 1970. */
export interface Timeline {
  readonly from: number;
  readonly to: number;
  /** Something is still going on. */
  readonly live: boolean;
  readonly lanes: readonly TimelineLane[];
  readonly links: readonly TimelineLink[];
  /** Stretches of at least `breakMs` in which no turn was open. */
  readonly breaks: readonly { readonly from: number; readonly to: number }[];
  /** When the run was taken up again, and how long it had lain still. */
  readonly resumes: readonly { readonly at: number; readonly downMs: number }[];
}

/** How a timeline is drawn. */
export interface TimelineOptions {
  /** Needed for the time items waited in the inbox. */
  readonly eventAt?: EventAt;
  /** Shortest idle stretch worth marking, in milliseconds; 1000 when absent. */
  readonly breakMs?: number;
}

/** Builds the timeline of a run: one lane per agent, in the order they were started. */
export function timeline(run: RunState, options: TimelineOptions = {}): Timeline {
  const bars = new Map<AgentId, TimelineBar[]>();
  const links: TimelineLink[] = [];
  const callers = new Map<CallId, TurnId>();
  for (const turn of run.turns.values()) {
    const list = bars.get(turn.agentId);
    if (list === undefined) bars.set(turn.agentId, [toBar(turn, options.eventAt)]);
    else list.push(toBar(turn, options.eventAt));
    for (const call of turn.calls) callers.set(call.callId, turn.turnId);
    for (const from of turn.start.sourceTurnIds) links.push({ kind: 'turn', from, to: turn.turnId });
    const caller = turn.start.sourceToolCallId === undefined ? undefined : callers.get(turn.start.sourceToolCallId);
    if (caller !== undefined) links.push({ kind: 'call', from: caller, to: turn.turnId });
  }
  const lanes = [...run.agents.values()].map((agent): TimelineLane => ({
    agentId: agent.meta.agentId,
    parentAgentId: agent.meta.parentAgentId,
    profile: agent.meta.profile,
    roleName: agent.meta.roleName,
    status: agent.status,
    bars: bars.get(agent.meta.agentId) ?? [],
  }));
  return {
    from: run.meta.createdAt,
    to: run.at,
    live: run.status === 'running' || run.status === 'awaiting',
    lanes,
    links,
    breaks: idleStretches([...bars.values()].flat(), options.breakMs ?? 1000),
    resumes: run.resumes,
  };
}

function toBar(turn: TurnState, eventAt: EventAt | undefined): TimelineBar {
  return {
    turnId: turn.turnId,
    turnType: turn.start.turnType,
    status: turn.end?.status ?? 'running',
    from: turn.start.at,
    to: turn.end?.at,
    parts: partsOf(turn, eventAt),
    calls: turn.calls.map((call) => ({
      callId: call.callId,
      name: call.request.name,
      status: call.status,
      from: call.request.at,
      to: call.end?.at,
    })),
  };
}

function partsOf(turn: TurnState, eventAt: EventAt | undefined): readonly TimelinePart[] {
  const { start, modelEnd, calls, end } = turn;
  const parts: TimelinePart[] = [];
  const arrived = firstArrival(turn, eventAt);
  if (arrived !== undefined && arrived < start.at) parts.push({ kind: 'wait', from: arrived, to: start.at });
  if (start.prompt !== undefined) {
    const called = modelEnd?.attempts[0]?.startedAt;
    const exec = called === undefined || called < start.at ? start.at : called;
    if (exec > start.at) parts.push({ kind: 'prep', from: start.at, to: exec });
    parts.push({ kind: 'exec', from: exec, to: modelEnd?.at ?? end?.at });
  }
  const first = calls[0];
  if (first !== undefined) {
    const open = calls.some((call) => call.end === undefined);
    parts.push({ kind: 'tools', from: first.request.at, to: open ? end?.at : Math.max(...calls.map((call) => call.end?.at ?? 0)) });
  }
  return parts;
}

/** When the item that had waited longest arrived. */
function firstArrival(turn: TurnState, eventAt: EventAt | undefined): number | undefined {
  if (eventAt === undefined) return undefined;
  let first: number | undefined;
  for (const [index, seq] of turn.itemSeqs.entries()) {
    // Items that stay in the inbox are read again and again: they did not wait for this turn.
    const event = seq === 0 || turn.start.inputs[index]?.kept === true ? undefined : eventAt(seq);
    if (event !== undefined && (first === undefined || event.at < first)) first = event.at;
  }
  return first;
}

function idleStretches(bars: readonly TimelineBar[], breakMs: number): Timeline['breaks'] {
  const breaks: { readonly from: number; readonly to: number }[] = [];
  let busyUntil: number | undefined;
  for (const bar of bars.toSorted((a, b) => a.from - b.from)) {
    if (busyUntil !== undefined && bar.from - busyUntil >= breakMs) breaks.push({ from: busyUntil, to: bar.from });
    busyUntil = Math.max(busyUntil ?? 0, bar.to ?? Number.POSITIVE_INFINITY);
  }
  return breaks;
}
