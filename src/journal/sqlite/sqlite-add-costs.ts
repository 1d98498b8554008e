import type { DatabaseSync } from 'node:sqlite';
import type { RunId } from '../../core/ids.ts';
import { decodeCommit } from '../codec/event-codec.ts';
import { summaryChange, type SummaryChange } from '../run-summary.ts';

/** Sequence numbers per run in layouts 0 to 2. */
const keySpan = 2 ** 31;

/** 1 → 2: commits carry the run's cost. Columns cannot be added in front of the body, so the table is rewritten. */
export function addCosts(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE commits RENAME TO commits_1;
    CREATE TABLE commits (
      key INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, at REAL NOT NULL, agents INTEGER NOT NULL, turns INTEGER NOT NULL,
      input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL, unpriced INTEGER NOT NULL,
      sum INTEGER NOT NULL, body TEXT NOT NULL
    );
  `);
  const insert = database.prepare(
    `INSERT INTO commits SELECT key, last_seq, at, agents, turns, input_tokens, output_tokens, ?, ?, sum, body FROM commits_1 WHERE key = ?`,
  );
  let run = -1;
  let cost = 0;
  let unpriced = 0;
  for (const { key, at, body } of database.prepare('SELECT key, at, body FROM commits_1 ORDER BY key').iterate()) {
    const ofRun = Math.floor(Number(key) / keySpan);
    if (ofRun !== run) [run, cost, unpriced] = [ofRun, 0, 0];
    const change = costOf(String(body), Number(key) - ofRun * keySpan, Number(at));
    cost += change.cost;
    unpriced += change.unpriced;
    insert.run(cost, unpriced, key ?? 0);
  }
  database.exec('DROP TABLE commits_1');
}

/** Computes the cost of a commit. One that cannot be read is left for its reader to report; its cost is unknown. */
function costOf(body: string, firstSeq: number, at: number): Pick<SummaryChange, 'cost' | 'unpriced'> {
  try {
    return summaryChange(decodeCommit(body, { runId: '' as RunId, firstSeq, at }));
  } catch {
    return { cost: 0, unpriced: 1 };
  }
}
