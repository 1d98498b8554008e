import type { ErrorRecord } from '../error.ts';
import type { ModelAttempt, Usage } from '../model/model.ts';

/** A model generated the run's title, or failed to: then the title stays. */
export interface RunTitle {
  readonly type: 'run.title';
  readonly title?: string;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
  readonly cost?: number;
  readonly attempts: readonly ModelAttempt[];
}
