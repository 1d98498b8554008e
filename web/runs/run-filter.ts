import { hasWords } from '../../src/inspector/run-words.ts';
import type { RunRow } from '../data/runs-store.ts';

/** The status of a run in the list: one that nobody advances any more was interrupted. */
export function statusOf(row: RunRow): string {
  return row.isAbandoned === true && row.status === 'running' ? 'interrupted' : row.status;
}

/** Runs of one status whose title, id, profile or project holds the words; all of them when nothing is asked for. */
export function filterRuns(rows: readonly RunRow[], status: string, words: string): readonly RunRow[] {
  const wanted = words.trim();
  return rows.filter((row) => (status === '' || statusOf(row) === status) && hasWords(row, wanted));
}

/** Statuses as they are offered: what may need somebody first. */
const order = ['awaiting', 'running', 'interrupted', 'damaged', 'failed', 'completed', 'cancelled'];

/** The statuses there are, with how many of the runs that hold the words have each. */
export function countStatuses(rows: readonly RunRow[], words: string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>(rows.map((row) => [statusOf(row), 0]));
  for (const row of filterRuns(rows, '', words)) counts.set(statusOf(row), (counts.get(statusOf(row)) ?? 0) + 1);
  const place = (status: string): number => (order.includes(status) ? order.indexOf(status) : order.length);
  return [...counts].toSorted(([a], [b]) => place(a) - place(b));
}
