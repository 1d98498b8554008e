import type { Expression } from '../expression/expression.ts';
import type { Template } from '../expression/template.ts';
import type { SourceRef } from './source-ref.ts';

/**
 * A place where an agent stops and waits for a person, who lets it go on or ends it with what there is. It is reached when all that
 * it names holds: so many turns without a person's word, one of these calls in the turn before, a condition.
 */
export interface Checkpoint {
  readonly id: string;
  readonly afterTurns?: number;
  /** Tools; empty = whichever were called. */
  readonly onTools: readonly string[];
  readonly condition?: Expression;
  /** What the person is asked; what the agent did last is added. */
  readonly message?: Template;
  /** How an agent ends that a person ended here. */
  readonly outcome: string;
  readonly source: SourceRef;
}

/** How an agent ends at a checkpoint, unless the checkpoint says otherwise. */
export const checkpointOutcome = 'checkpoint';
