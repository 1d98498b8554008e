import type { AgentId, CallId, TurnId } from '../../core/ids.ts';
import { noSources } from '../../core/prompt/prompt-sources.ts';
import type { SubContext, Beginning } from '../../core/state/sub-context.ts';
import type { CallState, TurnState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnType } from '../../core/state/turn.ts';
import type { TurnEnd } from '../../core/events/turn-events.ts';

/**
 * Derives the turns without a model call (A1.6): messages of people, dispatches, aggregations of their results, and restarts of
 * agents. They have no events; all data comes from the events of agents, calls and items.
 *
 * Owns: their ids, and the links between turns through them. Each belongs to the agent in whose flow it occurs.
 * 1. `turn_user_<seq>`: a person's message, once a turn has read it; follows the previous turn, precedes the one that read it.
 * 2. `dispatch_<callId>`: a call that waits for agents; follows the turn that made it, precedes their first turns.
 * 3. `agg_<callId>`: its result; follows the last turns of those agents, precedes the turn that reads it.
 * 4. `restart_<seq>`: a restart of an agent; follows its last turn, precedes its next.
 */
export function otherTurns(run: RunContext): readonly TurnState[] {
  const known = latest.get(run);
  if (known?.seq === run.seq) return known.turns;
  const turns = findOtherTurns(run);
  latest.set(run, { seq: run.seq, turns });
  return turns;
}

/** Latest result for each state. */
// Pure cache: keyed by a state, and compared with its sequence number.
const latest = new WeakMap<RunContext, { readonly seq: number; readonly turns: readonly TurnState[] }>();

function findOtherTurns(run: RunContext): readonly TurnState[] {
  const found: TurnState[] = [];
  const said = new Set<TurnId>();
  for (const turn of run.turns.values()) {
    for (const index of saidIn(turn)) {
      const words = userTurn(turn, index);
      if (!said.has(words.turnId)) found.push(words);
      said.add(words.turnId);
    }
    for (const call of turn.calls) {
      const agents = agentsByCall(run).get(call.callId);
      if (agents !== undefined) found.push(...turnsOfCall(run, turn, call, agents));
    }
  }
  for (const agent of run.agents.values()) {
    for (const beginning of agent.work.beginnings.slice(1)) found.push(restartTurn(run, agent, beginning));
  }
  return found;
}

/** Returns all turns of a run, agents' and derived ones, in journal order. */
export function allTurns(run: RunContext): readonly TurnState[] {
  return [...run.turns.values(), ...otherTurns(run)].toSorted((one, other) => one.start.seq - other.start.seq);
}

/** Returns the turn of an id, of any type, with its source turns. */
export function turnOfId(run: RunContext, turnId: string): TurnState | undefined {
  const turn = run.turns.get(turnId as TurnId) ?? otherTurns(run).find((other) => other.turnId === turnId);
  return turn && withBaton(run, turn);
}

/** Adds derived turns to a turn's source turns. */
export function withBaton(run: RunContext, turn: TurnState): TurnState {
  return { ...turn, start: { ...turn.start, sourceTurnIds: batonOf(run, turn) } };
}

function batonOf(run: RunContext, turn: TurnState): readonly TurnId[] {
  const { sourceTurnIds, turnType, seq, inputs } = turn.start;
  const agent = run.agents.get(turn.agentId);
  if (turnType !== 'agent' || agent === undefined) return sourceTurnIds;
  const before = run.turns.get(sourceTurnIds[0] as TurnId);
  const since = before?.agentId === turn.agentId ? before.start.seq : 0;
  const ids = new Set(sourceTurnIds);
  for (const beginning of agent.work.beginnings) {
    if (beginning.seq < since || beginning.seq > seq) continue;
    if (beginning !== agent.work.beginnings[0]) ids.add(idOf('restart', beginning.seq));
    if (beginning.callId !== undefined) ids.add(idOf('dispatch', beginning.callId));
  }
  for (const { callId } of inputs) {
    if (callId !== undefined && agentsByCall(run).has(callId)) ids.add(idOf('agg', callId));
  }
  for (const index of saidIn(turn)) ids.add(idOf('turn_user', turn.itemSeqs[index] ?? 0));
  return [...ids];
}

function idOf(kind: 'turn_user' | 'dispatch' | 'agg' | 'restart', of: number | CallId): TurnId {
  return `${kind}_${of}` as TurnId;
}

/** Returns the indexes of a turn's inputs that are messages of people. */
function saidIn(turn: TurnState): readonly number[] {
  return turn.items.flatMap((item, index) =>
    // An item that repeats an input of an interrupted turn is the same message.
    item?.source === 'USER_PROMPT' && (item.from ?? item.observerId ?? item.ruleId ?? item.repeats) === undefined ? [index] : [],
  );
}

/** Maps each call to the agents it waits or waited for; built once per state. */
function agentsByCall(run: RunContext): ReadonlyMap<CallId, readonly SubContext[]> {
  const known = callers.get(run);
  if (known?.seq === run.seq) return known.agents;
  const agents = new Map<CallId, SubContext[]>();
  for (const agent of run.agents.values()) {
    for (const { callId } of agent.work.beginnings) {
      const listed = callId === undefined ? undefined : (agents.get(callId) ?? []);
      if (callId === undefined || listed === undefined || listed.includes(agent)) continue;
      listed.push(agent);
      agents.set(callId, listed);
    }
  }
  callers.set(run, { seq: run.seq, agents });
  return agents;
}

// Pure cache: keyed by a state, and compared with its sequence number.
const callers = new WeakMap<RunContext, { readonly seq: number; readonly agents: ReadonlyMap<CallId, readonly SubContext[]> }>();

function userTurn(reader: TurnState, index: number): TurnState {
  const input = reader.start.inputs[index];
  const seq = reader.itemSeqs[index] ?? 0;
  const { at } = reader.start;
  const turn = otherTurn(reader, 'user', { turnId: idOf('turn_user', seq), seq, at, ends: { status: 'completed', at } });
  return {
    ...turn,
    start: { ...turn.start, sourceTurnIds: reader.start.sourceTurnIds.slice(0, 1), inputs: input === undefined ? [] : [input] },
    items: [reader.items[index]],
    itemSeqs: [seq],
  };
}

function turnsOfCall(run: RunContext, caller: TurnState, call: CallState, agents: readonly SubContext[]): readonly TurnState[] {
  const { callId, end, request } = call;
  const status = end?.status === 'cancelled' ? 'cancelled' : 'completed';
  const more = { callId, calls: [call], sources: [caller.turnId] };
  const sent = otherTurn(caller, 'dispatch', {
    ...more,
    turnId: idOf('dispatch', callId),
    seq: request.seq,
    at: request.at,
    ...(end === undefined ? {} : { ends: { status, at: end.at } }),
  });
  if (end === undefined) return [sent];
  const { seq, at } = end;
  const last = agents.flatMap((agent) => lastTurnBefore(run, agent, seq) ?? []);
  return [
    sent,
    otherTurn(caller, 'aggregation', { ...more, turnId: idOf('agg', callId), seq, at, ends: { status, at }, sources: last }),
  ];
}

function restartTurn(run: RunContext, agent: SubContext, { seq, at, callId }: Beginning): TurnState {
  const before = lastTurnBefore(run, agent, seq);
  const sources = [...(before === undefined ? [] : [before]), ...(callId === undefined ? [] : [idOf('dispatch', callId)])];
  const flow = { agentId: agent.meta.agentId, start: { runId: run.meta.runId, flowId: agent.turn.flowId } };
  const ends = { status: 'completed', at } as const;
  return otherTurn(flow, 'restart', { turnId: idOf('restart', seq), seq, at, ends, sources, callId });
}

/** Returns the last turn of an agent that began before an event; turns of one agent are numbered. */
function lastTurnBefore(run: RunContext, { meta, turn: { count: turnCount } }: SubContext, seq: number): TurnId | undefined {
  for (let count = turnCount; count > 0; count -= 1) {
    const turn = run.turns.get(`${meta.agentId}.t${count}` as TurnId);
    if (turn === undefined || turn.start.seq < seq) return turn?.turnId;
  }
  return undefined;
}

interface OtherTurn {
  readonly turnId: TurnId;
  readonly seq: number;
  readonly at: number;
  readonly ends?: { readonly status: TurnEnd['status']; readonly at: number };
  readonly sources?: readonly TurnId[];
  readonly callId?: CallId | undefined;
  readonly calls?: CallState[];
}

/** Builds a turn in the flow of an agent with only the given fields. */
function otherTurn(
  {
    agentId,
    start: { runId, flowId },
  }: { readonly agentId: AgentId; readonly start: Pick<TurnState['start'], 'runId' | 'flowId'> },
  turnType: Exclude<TurnType, 'agent'>,
  { turnId, seq, at, ends, sources = [], callId, calls = [] }: OtherTurn,
): TurnState {
  const place = { runId, seq, agentId, turnId };
  const sourceToolCallId = callId === undefined ? {} : { sourceToolCallId: callId };
  return {
    turnId,
    agentId,
    start: {
      ...place,
      type: 'turn.start',
      at,
      turnType,
      flowId,
      sourceTurnIds: sources,
      inputs: [],
      observers: [],
      ...sourceToolCallId,
    },
    items: [],
    itemSeqs: [],
    sources: noSources,
    interruptedBy: undefined,
    modelEnd: undefined,
    charged: undefined,
    decide: undefined,
    calls,
    stateChanges: undefined,
    escalations: [],
    end: ends === undefined ? undefined : { ...place, type: 'turn.end', ...ends },
  };
}
