/** Counters ids derive from. */
export interface RunCounters {
  agents: number;
  calls: number;
  items: number;
  modules: number;
  dispatches: number;
  turns: number;
  toolCalls: number;
}
