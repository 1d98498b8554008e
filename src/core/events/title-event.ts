import type { ErrorRecord } from '../error.ts';
import type { ModelAttempt, Usage } from '../model/model.ts';

/** A model has worded the run's title, or could not: then it stays what it was. */
export interface RunTitle {
  readonly type: 'run.title';
  readonly title?: string;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
  readonly cost?: number;
  readonly attempts: readonly ModelAttempt[];
}
