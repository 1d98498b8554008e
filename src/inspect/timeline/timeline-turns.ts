import type { AgentId, CallId, TurnId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import type { EventAt } from '../why/cause-chain.ts';
import { toBar, type TimelineBar } from './timeline-bar.ts';

/** Cause of a turn: an earlier turn, or one of its tool calls. */
export interface TimelineLink {
  readonly kind: 'turn' | 'call';
  /** The tool call, for kind `call`. */
  readonly callId?: CallId;
  readonly from: TurnId;
  readonly to: TurnId;
}

/** Position of the bar of a turn that has not ended. */
interface OpenTurn {
  readonly turn: TurnState;
  readonly index: number;
  readonly indexInLane: number;
}

/**
 * Turns of a run as a timeline shows them. When kept between timelines of a run, it is updated rather than rebuilt, since ended
 * turns do not change. Requires a run whose state keeps everything.
 */
export interface TimelineTurns {
  /** In journal order. */
  readonly bars: TimelineBar[];
  /** Each list is replaced when it changes. */
  readonly byAgent: Map<AgentId, readonly TimelineBar[]>;
  readonly links: TimelineLink[];
  readonly callers: Map<CallId, TurnId>;
  readonly open: Map<TurnId, OpenTurn>;
}

/** Creates an empty set of turns. */
export function noTurns(): TimelineTurns {
  return { bars: [], byAgent: new Map(), links: [], callers: new Map(), open: new Map() };
}

/** Adds the changes since the last call. */
export function addTurns(known: TimelineTurns, run: RunContext, eventAt: EventAt | undefined): void {
  const changed = new Map<AgentId, TimelineBar[]>();
  const laneOf = (agentId: AgentId): TimelineBar[] => {
    const lane = changed.get(agentId) ?? [...(known.byAgent.get(agentId) ?? [])];
    changed.set(agentId, lane);
    return lane;
  };
  for (const { turn, index, indexInLane } of known.open.values()) {
    const bar = toBar(turn, eventAt);
    known.bars[index] = bar;
    laneOf(turn.agentId)[indexInLane] = bar;
    for (const call of turn.calls) known.callers.set(call.callId, turn.turnId);
    if (turn.end !== undefined) known.open.delete(turn.turnId);
  }
  for (const turn of run.turns.values().drop(known.bars.length)) {
    const bar = toBar(turn, eventAt);
    const lane = laneOf(turn.agentId);
    if (turn.end === undefined) known.open.set(turn.turnId, { turn, index: known.bars.length, indexInLane: lane.length });
    known.bars.push(bar);
    lane.push(bar);
    for (const call of turn.calls) known.callers.set(call.callId, turn.turnId);
    addLinks(known, turn);
  }
  for (const [agentId, lane] of changed) known.byAgent.set(agentId, lane);
}

function addLinks({ links, callers }: TimelineTurns, { turnId, start }: TurnState): void {
  for (const from of start.sourceTurnIds) links.push({ kind: 'turn', from, to: turnId });
  const callId = start.sourceToolCallId;
  const caller = callId === undefined ? undefined : callers.get(callId);
  if (callId !== undefined && caller !== undefined) links.push({ kind: 'call', callId, from: caller, to: turnId });
}
