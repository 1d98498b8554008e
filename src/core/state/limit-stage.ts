/** Distance of an agent from its limits: not near, told to wrap up, or on its last turn. */
export type LimitStage = 'none' | 'warned' | 'last_turn';

/** The stage that an event's number stands for: journals write 1 for a warning and 2 for the last turn. */
export function toLimitStage(stage: 1 | 2): LimitStage {
  return stage === 2 ? 'last_turn' : 'warned';
}
