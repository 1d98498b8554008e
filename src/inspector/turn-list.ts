import type { AgentId, TurnId } from '../core/ids.ts';
import type { RunState, TurnState } from '../core/state.ts';
import type { TurnType } from '../core/turn.ts';
import type { TurnStatus } from './turn-record.ts';

/** One line of a list of turns. */
export interface TurnRow {
  readonly turnId: TurnId;
  readonly agentId: AgentId;
  readonly profile: string;
  readonly turnType: TurnType;
  readonly status: TurnStatus;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Why it woke: the sources it read, in reading order. */
  readonly sources: readonly string[];
  /** The tools it called, with how each call stands. */
  readonly tools: readonly { readonly name: string; readonly status: string }[];
  /** The start of its reply, at most 200 characters. */
  readonly reply: string;
  readonly action: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | undefined;
  readonly attempts: number;
  readonly error: string | undefined;
}

/** Which turns to list. */
export interface TurnFilter {
  readonly agentId?: string;
  readonly status?: TurnStatus;
}

/** The turns of a run in the order they began; costs nothing for their history. */
export function turnList(run: RunState, filter: TurnFilter = {}): readonly TurnRow[] {
  const rows: TurnRow[] = [];
  for (const turn of run.turns.values()) {
    if (filter.agentId !== undefined && filter.agentId !== turn.agentId) continue;
    if (filter.status !== undefined && filter.status !== (turn.end?.status ?? 'running')) continue;
    rows.push(toTurnRow(run, turn));
  }
  return rows;
}

/** One turn as a line of a list. */
export function toTurnRow(run: RunState, turn: TurnState): TurnRow {
  const { start, modelEnd, end } = turn;
  return {
    turnId: turn.turnId,
    agentId: turn.agentId,
    profile: run.agents.get(turn.agentId)?.meta.profile ?? '',
    turnType: start.turnType,
    status: end?.status ?? 'running',
    startedAt: start.at,
    endedAt: end?.at,
    sources: start.inputs.map((input) => input.source),
    tools: turn.calls.map((call) => ({ name: call.request.name, status: call.status })),
    reply: (modelEnd?.reply?.text ?? '').slice(0, 200),
    action: turn.decide?.action.type,
    inputTokens: modelEnd?.usage.inputTokens ?? 0,
    outputTokens: modelEnd?.usage.outputTokens ?? 0,
    cost: modelEnd?.cost,
    attempts: modelEnd?.attempts.length ?? 0,
    error: (end?.error ?? modelEnd?.error)?.message,
  };
}
