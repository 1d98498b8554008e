import type { RunSummary } from '../core/journal.ts';

/** Tells whether a run is meant by words somebody looks for: they stand in its title, id, profile or project, in any case. */
export function hasWords({ title, runId, profile, project = '' }: RunSummary, words: string): boolean {
  const wanted = words.toLowerCase();
  return wanted === '' || [title, runId, profile, project].some((text) => text.toLowerCase().includes(wanted));
}
