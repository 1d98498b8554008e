import { copyFileSync, rmSync } from 'node:fs';
import { Client } from 'pg';

/** Puts a run back as its first process left it: each process that takes it up may keep a newer snapshot. */
export interface KeptSnapshot {
  restore(): Promise<void>;
}

/** Remembers the journal file at a path. */
export function keptFile(path: string): KeptSnapshot {
  const copy = `${path}.kept`;
  copyFileSync(path, copy);
  return {
    restore: () => {
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
      copyFileSync(copy, path);
      return Promise.resolve();
    },
  };
}

/** Remembers the snapshots of a schema; the events that later processes add stay, a few each. */
export async function keptSchema(url: string, schema: string): Promise<KeptSnapshot> {
  const run = async (text: string): Promise<void> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  const tables = ['snapshots', 'snapshot_parts'];
  await run(
    tables
      .map(
        (table) =>
          `DROP TABLE IF EXISTS ${schema}.kept_${table}; CREATE TABLE ${schema}.kept_${table} AS TABLE ${schema}.${table};`,
      )
      .join(' '),
  );
  // What a server does by itself, soon after so many rows were written.
  await run(`VACUUM ANALYZE ${schema}.commits`);
  return {
    restore: () =>
      run(
        tables
          .map((table) => `DELETE FROM ${schema}.${table}; INSERT INTO ${schema}.${table} TABLE ${schema}.kept_${table};`)
          .join(' '),
      ),
  };
}
