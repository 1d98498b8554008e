import type { RunSummary } from '../core/events/journal.ts';

/** Fields of a run that determine its status word. */
export interface ListedStatus {
  readonly status: string;
  readonly pending?: number;
  readonly isAbandoned?: boolean;
  readonly isImported?: boolean;
}

/** Status word of a run that needs a decision or an answer from the reader. */
export const waitsForYou = 'waits for you';

/**
 * Returns the status of a run as a word: `interrupted` when an active run has no owning process, `waits for you` when any part of
 * it needs a decision or an answer.
 */
export function statusWord({ status, pending = 0, isAbandoned, isImported }: ListedStatus): string {
  if (isImported === true) return status;
  if (status === 'running' && isAbandoned === true) return 'interrupted';
  return pending > 0 && (status === 'running' || status === 'awaiting') ? waitsForYou : status;
}

/** True when the title, id, profile or project of a run contains the search words, in any case. */
export function hasWords({ title, runId, profile, project = '' }: RunSummary, words: string): boolean {
  const wanted = words.toLowerCase();
  return wanted === '' || [title, runId, profile, project].some((text) => text.toLowerCase().includes(wanted));
}
