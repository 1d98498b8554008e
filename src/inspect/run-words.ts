import type { RunSummary } from '../core/events/journal.ts';

/** What a list says of a run's status. */
export interface ListedStatus {
  readonly status: string;
  readonly pending?: number;
  readonly isAbandoned?: boolean;
  readonly isImported?: boolean;
}

/** The word for a run that needs a decision or an answer of its reader. */
export const waitsForYou = 'waits for you';

/**
 * The status of a run in a word: `interrupted` when no process advances a run that was at work, `waits for you` when something of it
 * needs a decision or an answer, whatever else it does meanwhile.
 */
export function statusWord({ status, pending = 0, isAbandoned, isImported }: ListedStatus): string {
  if (isImported === true) return status;
  if (status === 'running' && isAbandoned === true) return 'interrupted';
  return pending > 0 && (status === 'running' || status === 'awaiting') ? waitsForYou : status;
}

/** Tells whether a run is meant by words somebody looks for: they stand in its title, id, profile or project, in any case. */
export function hasWords({ title, runId, profile, project = '' }: RunSummary, words: string): boolean {
  const wanted = words.toLowerCase();
  return wanted === '' || [title, runId, profile, project].some((text) => text.toLowerCase().includes(wanted));
}
