import { hasWords, statusWord, waitsForYou } from '../../src/inspect/run-words.ts';
import type { RunRow } from '../data/runs-store.ts';

/** Runs of one status whose title, id, profile or project holds the words; all of them when nothing is asked for. */
export function filterRuns(rows: readonly RunRow[], status: string, words: string): readonly RunRow[] {
  const wanted = words.trim();
  return rows.filter((row) => (status === '' || statusWord(row) === status) && hasWords(row, wanted));
}

/** Statuses as they are offered: what may need somebody first. */
const order = [waitsForYou, 'awaiting', 'interrupted', 'running', 'idle', 'damaged', 'failed', 'completed', 'cancelled'];

/** The statuses there are, with how many of the runs that hold the words have each. */
export function countStatuses(rows: readonly RunRow[], words: string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>(rows.map((row) => [statusWord(row), 0]));
  for (const row of filterRuns(rows, '', words)) counts.set(statusWord(row), (counts.get(statusWord(row)) ?? 0) + 1);
  const place = (status: string): number => (order.includes(status) ? order.indexOf(status) : order.length);
  return [...counts].toSorted(([a], [b]) => place(a) - place(b));
}
