import type { Expression } from '../expression/expression.ts';
import type { Template } from '../expression/template.ts';
import type { SourceRef } from './source-ref.ts';

/**
 * Point at which an agent stops and waits for a person, who lets it go on or ends it with its results so far. Reached when all
 * its criteria hold: turns since a person's last message, a call in the turn before, a condition.
 */
export interface Checkpoint {
  readonly id: string;
  readonly afterTurns?: number;
  /** Tool names; empty = any call. */
  readonly onTools: readonly string[];
  readonly condition?: Expression;
  /** Question for the person; the agent's last action is added. */
  readonly message?: Template;
  /** Outcome of an agent that the person ends here. */
  readonly outcome: string;
  readonly source: SourceRef;
}

/** Outcome of an agent that a person ends at a checkpoint, unless the checkpoint sets another. */
export const checkpointOutcome = 'checkpoint';
