/** Stage of an agent with respect to its limits: far from them, warned, or on its last turn. */
export type LimitStage = 'none' | 'warned' | 'last_turn';

/** Converts the stage of an event: journals write 1 for a warning and 2 for the last turn. */
export function toLimitStage(stage: 1 | 2): LimitStage {
  return stage === 2 ? 'last_turn' : 'warned';
}
