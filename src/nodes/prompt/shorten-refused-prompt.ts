import type { TurnContext } from '../../core/turn-context.ts';
import { promptTokens, viewTokens } from '../../core/prompt/context-size.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { startCompaction } from './compaction.ts';
import { edgeAt, positionOfTokens } from './context-edge.ts';
import { trimTo } from './context-view.ts';
import { requeueInputs } from '../turn/interrupted-turn.ts';

/**
 * Makes room after a provider refused a turn's prompt as too long (FAULTS M3): summarises the older half of the messages in
 * view, or leaves it out when the profile has no compaction, and retries the turn once. False when room was made for this
 * turn before, or none can be made; then the refusal is final.
 */
export function shortenRefusedPrompt(context: TurnContext, turn: TurnState, error: ErrorRecord): boolean {
  const { tx, agent, profile } = context;
  const { agentId } = agent.meta;
  if (agent.context.madeRoom || turn.start.prompt === undefined) return false;
  const to = edgeAt(agent, positionOfTokens(agent, viewTokens(agent, agent.context.view.from) / 2));
  if (to <= agent.context.view.from) return false;
  const tokens = promptTokens(agent, turn.start.prompt) ?? viewTokens(agent, agent.context.view.from);
  const end = tx.emit({ type: 'turn.end', agentId, turnId: turn.turnId, status: 'error', error });
  tx.setCause(end.seq);
  const isSummarised =
    profile.contextPolicy.compaction !== undefined &&
    agent.limits.stage !== 'last_turn' &&
    startCompaction(context, { to, tokens, reason: 'refused' }, end.seq);
  if (!isSummarised) trimTo(context, to, 'refused', end.seq);
  requeueInputs(context, turn, end.seq);
  return true;
}
