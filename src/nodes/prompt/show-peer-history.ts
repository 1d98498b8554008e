import type { TurnContext } from '../../core/turn-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { ItemDraft } from '../../core/events/transaction.ts';
import { visibleSource } from '../../core/profile/visibility.ts';
import { openCallsOf } from '../inbox/answer-open-calls.ts';
import { historyEnd } from './context-edge.ts';
import { peerEntries } from './peer-history.ts';

/** The observer id of the item that shows the history of others. */
export const visibilityObserver = 'visibility';

/**
 * Makes prompts begin with the current task unless the scope is `own`: when the agent gets a new task, earlier messages
 * leave its view.
 */
export function beginAtTask(context: TurnContext): void {
  const { tx, agent, profile } = context;
  const { visibility } = profile.contextPolicy;
  const end = historyEnd(agent);
  if (visibility === undefined || visibility.show.has('own') || end <= agent.context.view.from || openCallsOf(agent).length > 0)
    return;
  const task = agent.inbox.items.find(isTask);
  if (task === undefined) return;
  tx.emit({ type: 'context.trim', agentId: agent.meta.agentId, to: end, reason: 'new_task' }, task.seq);
}

/** True when an item comes from outside the agent, not from its own rules, its observers or an interruption. */
function isTask({ item, turnsSeen }: SubContext['inbox']['items'][number]): boolean {
  const { source, delivery, observerId, ruleId, repeats } = item;
  const isOwn = observerId !== undefined || ruleId !== undefined || repeats !== undefined;
  return !isOwn && turnsSeen === 0 && delivery !== 'idle' && source !== 'TOOL_RESULT';
}

/** Posts what the agent's profile lets it see of the history of others, for the turn that is about to begin because of `cause`. */
export function showPeerHistory(context: TurnContext, cause: number | undefined): void {
  const { tx, agent, profile } = context;
  const { visibility } = profile.contextPolicy;
  // An item whose ingestor failed is tried again, like every item.
  if (visibility === undefined || agent.inbox.items.some(({ item }) => item.observerId === visibilityObserver)) return;
  const { entries, quotes, isSuspect } = peerEntries(tx.run, agent, visibility);
  if (entries.length === 0) return;
  // It does not hold back items that wait for an idle agent.
  const isQuiet = !agent.turn.loop && agent.inbox.items.every(({ item, turnsSeen }) => item.delivery === 'idle' || turnsSeen > 0);
  const item: ItemDraft = {
    source: visibleSource,
    payload: { entries: entries.map((entry) => ({ ...entry })) },
    delivery: isQuiet ? 'idle' : 'next',
    observerId: visibilityObserver,
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(quotes.length > 0 || isSuspect ? { trust: 'untrusted' as const } : {}),
  };
  tx.post(agent.meta.agentId, item, cause);
}
