import { crc32 } from 'node:zlib';
import { CadreError } from '../../core/error.ts';
import { corruptPostgres } from './postgres-failure.ts';
import type { Connections, Sql } from './connections.ts';

/** Layout that this version writes. A schema with a higher number is refused, one with a lower number is migrated. */
export const schemaVersion = 5;

/** Oldest layout that can be read without migration, where nothing may be written. */
const oldestReadable = 1;

/** Oldest major version of PostgreSQL that is tested. */
const oldestServer = 15;

/** First key of all advisory locks of a schema. */
export function lockClass(schema: string): number {
  return crc32(`cadre ${schema}`) | 0;
}

const retention = (s: string): string => `
CREATE TABLE ${s}.loose_texts (hash text PRIMARY KEY, run_id text NOT NULL);
CREATE TABLE ${s}.snapshots (
  run_id text PRIMARY KEY, seq integer NOT NULL, commit_sum bigint NOT NULL, layout text NOT NULL, sum bigint NOT NULL, seal bytea, body bytea NOT NULL
);`;

const once = (s: string): string =>
  `CREATE TABLE ${s}.once (run_id text NOT NULL, name text NOT NULL, PRIMARY KEY (run_id, name));`;

const parts = (s: string): string =>
  `CREATE TABLE ${s}.snapshot_parts (run_id text NOT NULL, name text NOT NULL, body bytea NOT NULL, PRIMARY KEY (run_id, name));`;

/** Parts became texts, which a connection carries in half the bytes. Earlier ones belong to snapshots that this version does not read. */
const textParts = (s: string): string =>
  `DROP TABLE ${s}.snapshot_parts;
   CREATE TABLE ${s}.snapshot_parts (run_id text NOT NULL, name text NOT NULL, body text NOT NULL, PRIMARY KEY (run_id, name));`;

/*
 * runs: one row per run, and its lease: `epoch` only ever grows, `owner` is null for a free run, `claim` tells one acquisition from
 *   another. A run that was only acquired has no `created_at`. Sums are up to and including `last_seq`. No index has a column that every
 *   commit changes, so that PostgreSQL updates the row in place (HOT).
 * commits: one row per commit, or several of one when it has more than a thousand events. `body` is event-codec.ts, `refs` the hashes of
 *   the texts it refers to, `sum` is `rowSum`, `epoch` the lease under which it was written.
 * contents: texts, each stored once. A text that PostgreSQL cannot hold (NUL, lone surrogates) is kept as UTF-16 in `raw`.
 * loose_texts: texts of erased runs, until it is known whether something else refers to them; `run_id` is the run that was erased last.
 * snapshots: the state of a run after one of its commits, at most one for each run.
 * snapshot_parts: full parts of the histories of a run, which its snapshots refer to.
 * once: what happened once in a run that engines of a runtime share: inputs that were applied, and marks of starts.
 * owners: one row per engine that holds runs. Its session keeps the advisory lock (lockClass, id); `beat` is by the server's clock.
 */
const layout = (s: string): string => `
CREATE TABLE ${s}.meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE ${s}.runs (
  run bigint GENERATED ALWAYS AS IDENTITY, run_id text PRIMARY KEY, last_seq integer NOT NULL DEFAULT 0,
  epoch bigint NOT NULL DEFAULT 0, owner text, since timestamptz, claim text,
  created_at double precision, updated_at double precision, title text NOT NULL DEFAULT '', profile text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'running', outcome text, pending integer, imported boolean NOT NULL DEFAULT false,
  sealed boolean NOT NULL DEFAULT false,
  agents integer NOT NULL DEFAULT 0, turns integer NOT NULL DEFAULT 0, input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0, cost double precision NOT NULL DEFAULT 0, unpriced integer NOT NULL DEFAULT 0,
  own_title text, project text, deleted_at double precision
) WITH (fillfactor = 60);
CREATE INDEX runs_newest ON ${s}.runs (created_at DESC, run DESC) WHERE deleted_at IS NULL;
CREATE INDEX runs_open ON ${s}.runs (created_at DESC, run DESC) WHERE status IN ('running', 'awaiting') AND deleted_at IS NULL;
CREATE INDEX runs_project ON ${s}.runs (project) WHERE project IS NOT NULL;
CREATE INDEX runs_owned ON ${s}.runs (owner) WHERE owner IS NOT NULL;
CREATE INDEX runs_deleted ON ${s}.runs (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE TABLE ${s}.commits (
  run_id text NOT NULL, first_seq integer NOT NULL, last_seq integer NOT NULL, epoch bigint NOT NULL, at double precision NOT NULL,
  sum bigint NOT NULL, refs text, seal bytea, body text NOT NULL, PRIMARY KEY (run_id, last_seq)
);
CREATE TABLE ${s}.contents (hash text PRIMARY KEY, sum bigint NOT NULL, text text, raw bytea);
${retention(s)}
CREATE TABLE ${s}.owners (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL UNIQUE, beat timestamptz NOT NULL,
  heartbeat_ms double precision NOT NULL, expiry_ms double precision NOT NULL
);
${once(s)}
${parts(s)}
${textParts(s)}
INSERT INTO ${s}.meta VALUES ('schema_version', '${schemaVersion}');
`;

/** `migrations[n]` migrates a schema of version n + 1 to version n + 2. Steps never change once released. */
const migrations: readonly ((s: string) => string)[] = [retention, once, parts, textParts];

/** The part of a `commits` row that its checksum covers. */
export interface SummedRow {
  readonly runId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly body: string;
}

/** Computes the checksum of a commit's row, over everything its events are decoded from. */
export function rowSum({ runId, firstSeq, lastSeq, at, body }: SummedRow): number {
  return crc32(body, crc32(`${runId} ${firstSeq} ${lastSeq} ${at}`));
}

/** Schema to open. */
export interface SchemaOptions {
  readonly schema: string;
  readonly location: string;
  readonly readOnly: boolean;
}

/** Columns of a query: whether the schema `$1` and its journal exist. */
const hasSchema = 'to_regnamespace($1) IS NOT NULL AS has_schema';
const hasMeta = "EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relname = 'meta') AS has_meta";

/**
 * Checks the server and the schema, and creates or migrates the layout; processes that do so at the same time wait for each other. Throws
 * STORE_NEWER, STORE_CORRUPT or STORE_FAILED.
 */
export async function openSchema(connections: Connections, options: SchemaOptions): Promise<void> {
  const { schema, location, readOnly } = options;
  const [found] = await connections.query(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS name,
       ${hasMeta}`,
    [schema],
  );
  if (Number(found?.['version']) < oldestServer * 10_000)
    throw new CadreError(
      'STORE_FAILED',
      `${location}: the server is PostgreSQL ${String(found?.['name'])}; version ${oldestServer} or a later one is needed`,
      { details: { location, version: found?.['name'] } },
    );
  const version = found?.['has_meta'] === true ? await readVersion(connections.query, options) : undefined;
  if (version === schemaVersion || (readOnly && version !== undefined && version >= oldestReadable)) return;
  if (readOnly) throw noJournal(options);
  await connections.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1, 0)', [lockClass(schema)]);
    // Another process may have been faster.
    const [now] = await query(`SELECT ${hasSchema}, ${hasMeta}`, [schema]);
    // Asked for only when it is needed: creating a schema takes another right than writing to it.
    if (now?.['has_schema'] !== true) await query(`CREATE SCHEMA "${schema}"`);
    if (now?.['has_meta'] !== true) await query(layout(`"${schema}"`));
    else await migrate(query, options);
  });
}

async function migrate(query: Sql, options: SchemaOptions): Promise<void> {
  const schema = `"${options.schema}"`;
  for (const step of migrations.slice((await readVersion(query, options)) - 1)) await query(step(schema));
  await query(`UPDATE ${schema}.meta SET value = $1 WHERE key = 'schema_version'`, [String(schemaVersion)]);
}

async function readVersion(query: Sql, { schema, location }: SchemaOptions): Promise<number> {
  const rows = await query(`SELECT value FROM "${schema}".meta WHERE key = 'schema_version'`);
  const value = rows[0]?.['value'];
  const version = Number(value);
  if (value === undefined || !Number.isSafeInteger(version) || version < 1) {
    const shown = value === undefined ? 'nothing' : JSON.stringify(value);
    throw corruptPostgres(location, `${shown} is not a layout version`, { where: `table ${schema}.meta, row schema_version` });
  }
  if (version > schemaVersion)
    throw new CadreError(
      'STORE_NEWER',
      `${location}: the journal has layout ${version}, this version of Cadre knows layouts up to ${schemaVersion}; update Cadre to open it. Nothing was changed`,
      { details: { location, version, supported: schemaVersion } },
    );
  return version;
}

function noJournal({ location, schema }: SchemaOptions): CadreError {
  return new CadreError(
    'STORE_FAILED',
    `${location}: there is no journal in schema ${schema}, and reading creates none; start a run there first, or name another schema (?schema=NAME)`,
    { details: { location, missing: schema } },
  );
}
