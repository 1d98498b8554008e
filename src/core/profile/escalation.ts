/** Built-in counters that can trigger escalation, in YAML spelling. */
export const streaks = [
  'same_action_same_result_streak',
  'duplicate_reply_streak',
  'no_tool_call_streak',
  'empty_reply_streak',
  'tool_error_streak',
  'model_error_streak',
] as const;

/** One of the counters that indicate stagnation. */
export type Streak = (typeof streaks)[number];

/** Action of an escalation step against a stagnating agent. */
export type EscalationAction =
  /** Adds a note that only its next turn sees. */
  | { readonly type: 'nudge'; readonly message?: string }
  /** Does not offer the tools it called last for one turn. */
  | { readonly type: 'forbid_tool' }
  /** Uses another model until the streak breaks. */
  | { readonly type: 'switch_llm_config'; readonly llmConfig: string }
  /** Asks a person, and the agent waits for the answer. */
  | { readonly type: 'ask_human'; readonly message?: string }
  /** Ends the agent with its results so far. */
  | { readonly type: 'end'; readonly outcome: string };

/** One step of a profile's escalation: the action at this length of this streak. */
export interface EscalationStep {
  readonly id: string;
  readonly on: Streak;
  readonly at: number;
  readonly action: EscalationAction;
}

/** Outcome of an agent that escalation ended. */
export const stagnationOutcome = 'stagnation';

/**
 * Escalation of profiles that define none: every loop has a bound (FAULTS E5). A streak counts repeats, so the first
 * step is taken when a turn did the same for the fourth time, with the same result.
 */
export const defaultEscalation: readonly EscalationStep[] = [
  { id: 'default_nudge', on: 'same_action_same_result_streak', at: 3, action: { type: 'nudge' } },
  { id: 'default_forbid', on: 'same_action_same_result_streak', at: 5, action: { type: 'forbid_tool' } },
  { id: 'default_end', on: 'same_action_same_result_streak', at: 10, action: { type: 'end', outcome: stagnationOutcome } },
];

/** An escalation step that was taken and whose streak has not broken since. */
export interface TakenStep {
  readonly id: string;
  readonly on: Streak;
  readonly at: number;
  /** For `switch_llm_config`: the agent's LLM config until the streak breaks. */
  readonly llmConfig?: string;
}
