import { eventType } from '../core/prompt/history-stream.ts';
import type { AgentId, CallId, TurnId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { contentText } from '../core/prompt/message.ts';
import type { CallState, TurnState } from '../core/state/turn-state.ts';
import type { RunContext } from '../core/state/run-context.ts';

/** A call of an event, with how it ended. */
export interface HistoryCall {
  readonly name: string;
  readonly args: JsonObject | null;
  readonly status: CallState['status'];
  /** Result of the call; undefined while it runs, and for calls followed by the events of their agents. */
  readonly result: string | undefined;
}

/** Something that happened to an agent, or to one it called. */
export interface HistoryEvent {
  readonly number: number;
  readonly type: string;
  readonly agentId: AgentId;
  /** Number of calls between the requested agent and this one. */
  readonly depth: number;
  readonly turnId: TurnId;
  /** Sequence number of the journal's event. */
  readonly seq: number;
  readonly text: string;
  readonly calls: readonly HistoryCall[];
}

type Draft = Omit<HistoryEvent, 'number'>;

/**
 * Returns the history of an agent, with that of the agents it called inserted where it waited for them: from the request a call
 * gave them to the end it waited for (A5).
 */
export function agentHistory(run: RunContext, agentId: AgentId): readonly HistoryEvent[] {
  const stretches = stretchesOf(run);
  const own = [...run.turns.values()].filter((turn) => turn.agentId === agentId);
  return own
    .flatMap((turn, index) => eventsOf(turn, index === 0, 0, stretches))
    .map((event, index) => ({ number: index + 1, ...event }));
}

interface Stretch {
  readonly isFirst: boolean;
  readonly turns: TurnState[];
}

type Stretches = ReadonlyMap<CallId, ReadonlyMap<AgentId, Stretch>>;

/** The turns agents took for the calls that started or resumed them, by call and agent. */
function stretchesOf(run: RunContext): Stretches {
  const found = new Map<CallId, Map<AgentId, Stretch>>();
  const current = new Map<AgentId, Stretch>();
  for (const turn of run.turns.values()) {
    const callId = turn.start.sourceToolCallId;
    if (callId !== undefined) {
      const ofCall = found.get(callId) ?? new Map<AgentId, Stretch>();
      const stretch: Stretch = ofCall.get(turn.agentId) ?? { isFirst: !current.has(turn.agentId), turns: [] };
      found.set(callId, ofCall.set(turn.agentId, stretch));
      current.set(turn.agentId, stretch);
    }
    current.get(turn.agentId)?.turns.push(turn);
  }
  return found;
}

function eventsOf(turn: TurnState, isFirst: boolean, depth: number, stretches: Stretches): readonly Draft[] {
  const at = { agentId: turn.agentId, depth, turnId: turn.turnId };
  const asked = turn.start.inputs.flatMap((input, index): readonly Draft[] => {
    if (!input.persistent || input.role === 'tool') return [];
    const type = eventType({ source: input.source, event: isFirst && index === 0 ? 1 : 2 });
    return [{ ...at, type, seq: turn.itemSeqs[index] ?? turn.start.seq, text: contentText(input.content), calls: [] }];
  });
  const reply = turn.modelEnd?.reply;
  if (reply === undefined || turn.modelEnd === undefined) return asked;
  const { seq } = turn.modelEnd;
  if (turn.calls.length === 0) return [...asked, { ...at, type: 'TEXT_RESPONSE', seq, text: reply.text, calls: [] }];
  const calls = turn.calls.map((call): HistoryCall => ({
    name: call.request.name,
    args: call.args,
    status: call.status,
    result: call.end === undefined || stretches.has(call.callId) ? undefined : contentText(call.end.content),
  }));
  return [
    ...asked,
    { ...at, type: 'ACTION', seq, text: reply.text, calls },
    ...turn.calls.flatMap((call) => below(call, at, stretches)),
  ];
}

/** Returns the history of a call's agents during the call, and then its result. */
function below(call: CallState, at: Pick<Draft, 'agentId' | 'depth' | 'turnId'>, stretches: Stretches): readonly Draft[] {
  const called = stretches.get(call.callId);
  if (called === undefined) return [];
  const events = [...called.values()].flatMap(({ isFirst, turns }) =>
    turns.flatMap((turn, index) => eventsOf(turn, isFirst && index === 0, at.depth + 1, stretches)),
  );
  if (call.end === undefined) return events;
  return [...events, { ...at, type: 'CHILD_AGENT_RESULT', seq: call.end.seq, text: contentText(call.end.content), calls: [] }];
}
