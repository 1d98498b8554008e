import { activeAt } from './run-time.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';

/** Returns the values below `counters` in conditions, as getters over live state: a condition pays only for what it reads. */
export function countersView(run: RunContext, agent: SubContext): Readonly<Record<string, number>> {
  const { counters } = agent;
  return {
    get turn_count() {
      return counters.turnCount;
    },
    get no_tool_call_streak() {
      return counters.noToolCallStreak;
    },
    get same_action_same_result_streak() {
      return counters.sameActionSameResultStreak;
    },
    get duplicate_reply_streak() {
      return counters.duplicateReplyStreak;
    },
    get empty_reply_streak() {
      return counters.emptyReplyStreak;
    },
    get tool_error_streak() {
      return counters.toolErrorStreak;
    },
    get model_error_streak() {
      return counters.modelErrorStreak;
    },
    get tool_call_count() {
      return counters.toolCallCount;
    },
    get tokens_used() {
      return counters.tokensUsed;
    },
    get tokens_with_children() {
      return agent.limits.budget.tokens;
    },
    get cost_with_children() {
      return agent.limits.budget.cost;
    },
    get elapsed_ms() {
      return agent.limits.workingSince === undefined ? 0 : Math.max(0, activeAt(run, run.at) - agent.limits.workingSince);
    },
  };
}
