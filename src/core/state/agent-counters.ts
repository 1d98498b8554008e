/** Built-in counters, readable as `counters.*` in conditions. */
export interface AgentCounters {
  turnCount: number;
  noToolCallStreak: number;
  sameActionSameResultStreak: number;
  duplicateReplyStreak: number;
  emptyReplyStreak: number;
  toolErrorStreak: number;
  /** Model calls that failed one after the other; an interrupted one did not fail. */
  modelErrorStreak: number;
  toolCallCount: number;
  tokensUsed: number;
}
