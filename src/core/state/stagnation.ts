import type { SubContext } from './sub-context.ts';
import type { Streak } from '../profile/escalation.ts';

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
