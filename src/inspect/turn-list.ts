import type { AgentId, TurnId } from '../core/ids.ts';
import { contentText } from '../core/prompt/message.ts';
import type { CallState, TurnState } from '../core/state/turn-state.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { TurnType } from '../core/state/turn.ts';
import { callUse } from './turn/call-use.ts';
import { type CostKnowledge, turnCost } from './turn/turn-cost.ts';
import type { TurnStatus } from './turn/turn-record.ts';

/** One line of a list of turns. */
export interface TurnRow {
  readonly turnId: TurnId;
  readonly agentId: AgentId;
  readonly profile: string;
  readonly turnType: TurnType;
  readonly status: TurnStatus;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Sources the turn read, in reading order. */
  readonly sources: readonly string[];
  /** Names and statuses of the tools it called. */
  readonly tools: readonly { readonly name: string; readonly status: string }[];
  /** Start of its reply, or of a person's message; at most 200 characters. */
  readonly reply: string;
  readonly action: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars of its model call; null when unknown, absent when it made none. */
  readonly cost: number | null | undefined;
  readonly attempts: number;
  readonly error: string | undefined;
}

/** Fields of a turn that a list needs. */
export interface ListedTurn extends Pick<TurnState, 'turnId' | 'agentId' | 'start' | 'modelEnd' | 'charged' | 'decide' | 'end'> {
  readonly calls: readonly { readonly request: { readonly name: string }; readonly status: CallState['status'] }[];
}

/** Builds list rows of turns: by default agents' turns in order of start. */
export function turnList(run: RunContext, turns: Iterable<TurnState> = run.turns.values()): readonly TurnRow[] {
  return Array.from(turns, (turn) => toTurnRow(run, turn));
}

/** Builds the list row of a turn. */
export function toTurnRow(run: Pick<RunContext, 'agents'> & CostKnowledge, turn: ListedTurn): TurnRow {
  const { start, modelEnd, end } = turn;
  const call = callUse(turn);
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
    reply: (start.turnType === 'user' ? said(start) : (modelEnd?.reply?.text ?? '')).slice(0, 200),
    action: turn.decide?.action.type,
    inputTokens: call?.usage.inputTokens ?? 0,
    outputTokens: call?.usage.outputTokens ?? 0,
    cost: turnCost(run, turn),
    attempts: call?.attempts.length ?? 0,
    error: (end?.error ?? modelEnd?.error)?.message,
  };
}

function said({ inputs }: TurnState['start']): string {
  return inputs.map(({ content }) => contentText(content)).join('\n');
}
