import { hasWords, statusWord, waitsForYou } from '../../src/inspect/run-words.ts';
import type { RunRow } from '../data/runs-store.ts';

/** Returns the runs of one status whose title, id, profile or project contains the words; empty filters match all. */
export function filterRuns(rows: readonly RunRow[], status: string, words: string): readonly RunRow[] {
  const wanted = words.trim();
  return rows.filter((row) => (status === '' || statusWord(row) === status) && hasWords(row, wanted));
}

/** Order of the statuses: first those that may need attention. */
const order = [waitsForYou, 'awaiting', 'interrupted', 'running', 'idle', 'damaged', 'failed', 'completed', 'cancelled'];

/** Returns the statuses, each with its number of matching runs. */
export function countStatuses(rows: readonly RunRow[], words: string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>(rows.map((row) => [statusWord(row), 0]));
  for (const row of filterRuns(rows, '', words)) counts.set(statusWord(row), (counts.get(statusWord(row)) ?? 0) + 1);
  const place = (status: string): number => (order.includes(status) ? order.indexOf(status) : order.length);
  return [...counts].toSorted(([a], [b]) => place(a) - place(b));
}
