/** The built-in counters a ladder can climb by, in YAML spelling. */
export const streaks = [
  'same_action_same_result_streak',
  'duplicate_reply_streak',
  'no_tool_call_streak',
  'empty_reply_streak',
  'tool_error_streak',
  'model_error_streak',
] as const;

/** One of the counters that say an agent gets nowhere. */
export type Streak = (typeof streaks)[number];

/** What is done about an agent that gets nowhere. */
export type EscalationAction =
  /** The agent is told so, in a note that only its next turn sees. */
  | { readonly type: 'nudge'; readonly message?: string }
  /** The tools it called last are not offered for one turn. */
  | { readonly type: 'forbid_tool' }
  /** Another model answers until the streak breaks. */
  | { readonly type: 'switch_llm_config'; readonly llmConfig: string }
  /** A person is asked, and the agent waits for the answer. */
  | { readonly type: 'ask_human'; readonly message?: string }
  /** The agent ends, with what it has. */
  | { readonly type: 'end'; readonly outcome: string };

/** One rung of a profile's ladder: at this length of this streak, do that. */
export interface EscalationStep {
  readonly id: string;
  readonly on: Streak;
  readonly at: number;
  readonly action: EscalationAction;
}

/** The outcome of an agent that a ladder ended. */
export const stagnationOutcome = 'stagnation';

/**
 * The ladder of profiles that say nothing: every loop has a bound (DESIGN 4, FAULTS E5). A streak counts repeats, so the
 * first rung is climbed when a turn did the same for the fourth time, with the same result.
 */
export const defaultLadder: readonly EscalationStep[] = [
  { id: 'default_nudge', on: 'same_action_same_result_streak', at: 3, action: { type: 'nudge' } },
  { id: 'default_forbid', on: 'same_action_same_result_streak', at: 5, action: { type: 'forbid_tool' } },
  { id: 'default_end', on: 'same_action_same_result_streak', at: 10, action: { type: 'end', outcome: stagnationOutcome } },
];

/** A rung an agent stands on: it was climbed, and its streak has not broken since. */
export interface TakenStep {
  readonly id: string;
  readonly on: Streak;
  readonly at: number;
  /** For `switch_llm_config`: what the agent speaks with as long as it stands here. */
  readonly llmConfig?: string;
}
