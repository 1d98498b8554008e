import type { EventOf } from '../events/event.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { Streak } from '../profile/escalation.ts';

const longestCycle = 4;

/** Counts a reply's signs of progress: calls or none, a repeated text, an empty reply. */
export function countReply(agent: SubContext, reply: NonNullable<EventOf<'model.end'>['reply']>): void {
  const { counters } = agent;
  const hasCalls = reply.toolCalls.length > 0;
  counters.noToolCallStreak = hasCalls ? 0 : counters.noToolCallStreak + 1;
  const text = reply.text.trim();
  counters.emptyReplyStreak = text === '' && !hasCalls ? counters.emptyReplyStreak + 1 : 0;
  const repeats = text !== '' && !hasCalls && text === agent.turn.lastReply.trim();
  counters.duplicateReplyStreak = repeats ? counters.duplicateReplyStreak + 1 : 0;
  if (text !== '') agent.turn.lastReply = reply.text;
}

/**
 * Counts repeated work: `signature` represents one turn's calls and their results. A streak grows while the newest signature
 * continues a cycle of one to four turns, so A-B-A-B counts as well as A-A: each whole cycle beyond the first is one.
 */
export function countSignature(agent: SubContext, signature: string): void {
  const {
    streaks: { signatures, cycleMatches },
    counters,
  } = agent;
  let best = 0;
  for (let length = 1; length <= longestCycle; length++) {
    const matched = signatures.at(-length) === signature ? (cycleMatches[length - 1] ?? 0) + 1 : 0;
    cycleMatches[length - 1] = matched;
    best = Math.max(best, Math.floor(matched / length));
  }
  signatures.push(signature);
  if (signatures.length > longestCycle) signatures.shift();
  counters.sameActionSameResultStreak = best;
}

/** Resets repetition after a person's message: actions before it are not repeated by actions after it, nor are replies without a call. */
export function resetRepeats(agent: SubContext): void {
  const { duplicateReplyStreak, noToolCallStreak } = agent.counters;
  if (agent.streaks.signatures.length === 0 && duplicateReplyStreak === 0 && noToolCallStreak === 0) return;
  agent.streaks.signatures.length = 0;
  agent.streaks.cycleMatches.length = 0;
  agent.counters.sameActionSameResultStreak = 0;
  agent.counters.duplicateReplyStreak = 0;
  agent.counters.noToolCallStreak = 0;
  dropBrokenSteps(agent);
}

/** True when a person's message is among the items. */
export function hasPersonMessage(read: readonly (InboxItem | undefined)[]): boolean {
  for (const item of read) {
    if (item === undefined || item.source === 'TOOL_RESULT' || item.from !== undefined) continue;
    if (item.observerId === undefined && item.ruleId === undefined) return true;
  }
  return false;
}

/** Removes the escalation steps whose streak has broken, so that the next streak takes them again. */
export function dropBrokenSteps(agent: SubContext): void {
  if (agent.streaks.escalations.length > 0)
    agent.streaks.escalations = agent.streaks.escalations.filter(({ on, at }) => streakOf(agent, on) >= at);
}

/** Returns the length of a streak. */
export function streakOf({ counters }: SubContext, streak: Streak): number {
  switch (streak) {
    case 'same_action_same_result_streak':
      return counters.sameActionSameResultStreak;
    case 'duplicate_reply_streak':
      return counters.duplicateReplyStreak;
    case 'no_tool_call_streak':
      return counters.noToolCallStreak;
    case 'empty_reply_streak':
      return counters.emptyReplyStreak;
    case 'tool_error_streak':
      return counters.toolErrorStreak;
    case 'model_error_streak':
      return counters.modelErrorStreak;
  }
}
