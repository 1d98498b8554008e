import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { RunId } from '../../src/core/ids.ts';
import { rowSum } from '../../src/journal/postgres/postgres-schema.ts';
import { commitSum } from '../../src/journal/sqlite/sqlite-schema.ts';

/** Copies a run of a journal many times, under other ids and titles and with earlier times, past the engine but with right checksums. */
export interface CopyOptions {
  readonly runId: RunId;
  readonly copies: number;
  /** Begin of their ids. */
  readonly prefix: string;
}

/** Copies made in one transaction. */
const batch = 1_000;

/** Copies a run of a journal file, which no process may have open for writing. */
export function copyInFile(path: string, { runId, copies, prefix }: CopyOptions): void {
  const database = new DatabaseSync(path);
  database.function('commit_sum', (key, lastSeq, at, body) =>
    commitSum({ key: Number(key), lastSeq: Number(lastSeq), at: Number(at), body: String(body) }),
  );
  const source = Number(database.prepare('SELECT run FROM runs WHERE run_id = ?').get(runId)?.['run']);
  const base = Number(database.prepare('SELECT max(run) AS run FROM runs').get()?.['run']);
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT :from UNION ALL SELECT i + 1 FROM n WHERE i < :to)';
  const runs = database.prepare(
    `INSERT INTO runs (run, run_id, title, profile, status, outcome, created_at, pending) ${numbers}
     SELECT :base + i, :prefix || i, title || ' ' || i, profile, status, outcome, created_at - i * 1000.0, pending
     FROM n CROSS JOIN runs WHERE run = :source`,
  );
  const commits = database.prepare(
    `INSERT INTO commits ${numbers}
     SELECT (:base + i << 31) + (key - (:source << 31)), last_seq, at, agents, turns, input_tokens, output_tokens, cost, unpriced,
       commit_sum((:base + i << 31) + (key - (:source << 31)), last_seq, at, body), body
     FROM n CROSS JOIN commits WHERE key > :source << 31 AND key < :source + 1 << 31`,
  );
  for (let from = 1; from <= copies; from += batch) {
    const range = { from, to: Math.min(copies, from + batch - 1), base, source };
    database.exec('BEGIN');
    runs.run({ ...range, prefix });
    commits.run(range);
    database.exec('COMMIT');
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Copies a run of a schema. */
export async function copyInSchema(url: string, schema: string, { runId, copies, prefix }: CopyOptions): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ first_seq: number; last_seq: number; at: number; body: string }>(
    `SELECT first_seq, last_seq, at, body FROM ${schema}.commits WHERE run_id = $1 ORDER BY last_seq`,
    [runId],
  );
  for (let from = 1; from <= copies; from += batch) {
    const ids = Array.from({ length: Math.min(copies, from + batch - 1) - from + 1 }, (_, index) => `${prefix}${from + index}`);
    const added = ids.flatMap((id) =>
      rows.map(({ first_seq: firstSeq, last_seq: lastSeq, at, body }) => {
        return { id, lastSeq, sum: rowSum({ runId: id, firstSeq, lastSeq, at, body }) };
      }),
    );
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO ${schema}.runs (run_id, last_seq, created_at, updated_at, title, profile, status, outcome, pending, agents, turns,
         input_tokens, output_tokens, cost, unpriced)
       SELECT $4 || i, last_seq, created_at - i * 1000.0, updated_at - i * 1000.0, title || ' ' || i, profile, status, outcome, pending,
         agents, turns, input_tokens, output_tokens, cost, unpriced
       FROM ${schema}.runs, generate_series($2::integer, $3::integer) AS i WHERE run_id = $1`,
      [runId, from, from + ids.length - 1, prefix],
    );
    await client.query(
      `INSERT INTO ${schema}.commits (run_id, first_seq, last_seq, epoch, at, sum, refs, seal, body)
       SELECT added.run_id, c.first_seq, c.last_seq, c.epoch, c.at, added.sum, c.refs, NULL, c.body
       FROM unnest($2::text[], $3::integer[], $4::bigint[]) AS added (run_id, last_seq, sum)
         JOIN ${schema}.commits AS c ON c.run_id = $1 AND c.last_seq = added.last_seq`,
      [runId, added.map(({ id }) => id), added.map(({ lastSeq }) => lastSeq), added.map(({ sum }) => sum)],
    );
    await client.query('COMMIT');
  }
  // What a server does by itself after so many rows.
  await client.query(`VACUUM ANALYZE ${schema}.runs`);
  await client.query(`VACUUM ANALYZE ${schema}.commits`);
  await client.end();
}
