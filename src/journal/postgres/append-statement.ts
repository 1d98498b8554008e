/**
 * Returns the statement that appends a commit: it moves the run's row on, if the lease and the last sequence number are as expected, and
 * only then writes the commit's rows and texts. `moved` is 1, or 0 when nothing was written.
 *
 * 1. The condition and the change are one update of one row: of two appends that expect the same number, the second finds the row moved.
 * 2. A text is stored once; a damaged copy is replaced when the one that is given matches its hash.
 * 3. An input that was applied before violates the key of `once`, and nothing is written.
 * 4. `synchronous_commit` is turned off for this transaction alone, when parameter 32 is true.
 */
export function appendStatement(schema: string): string {
  const s = `"${schema}"`;
  return `
WITH mode AS MATERIALIZED (
  SELECT CASE WHEN $32::boolean THEN set_config('synchronous_commit', 'off', true) END AS set
), moved AS (
  UPDATE ${s}.runs SET last_seq = $5::integer, updated_at = $6::double precision,
    created_at = coalesce(created_at, $7::double precision), sealed = $20::boolean,
    agents = agents + $8::integer, turns = turns + $9::integer, input_tokens = input_tokens + $10::bigint,
    output_tokens = output_tokens + $11::bigint, cost = cost + $12::double precision, unpriced = unpriced + $13::integer,
    title = coalesce($14::text, title), profile = coalesce($15::text, profile), status = coalesce($16::text, status),
    outcome = coalesce($17::text, outcome), pending = coalesce($18::integer, pending, 0), imported = coalesce($19::boolean, imported)
  WHERE run_id = $1::text AND epoch = $2::bigint AND owner = $3::text AND last_seq = $4::integer
    AND (last_seq = 0 OR sealed = $20::boolean)
  RETURNING run_id
), written AS (
  INSERT INTO ${s}.commits (run_id, first_seq, last_seq, epoch, at, sum, refs, seal, body)
  SELECT moved.run_id, added.first_seq, added.last_seq, $2::bigint, added.at, added.sum, added.refs, added.seal, added.body
  FROM moved, unnest($21::integer[], $22::integer[], $23::double precision[], $24::bigint[], $25::text[], $26::bytea[], $27::text[])
    AS added (first_seq, last_seq, at, sum, refs, seal, body)
), given AS (
  SELECT added.hash, added.sum, added.text, added.raw
  FROM moved, unnest($28::text[], $29::bigint[], $30::text[], $31::bytea[]) AS added (hash, sum, text, raw)
), healed AS (
  UPDATE ${s}.contents AS stored SET sum = given.sum, text = given.text, raw = given.raw FROM given
  WHERE stored.hash = given.hash AND given.hash = ANY ($33::text[])
    AND (stored.sum <> given.sum OR stored.text IS DISTINCT FROM given.text OR stored.raw IS DISTINCT FROM given.raw)
), stored AS (
  INSERT INTO ${s}.contents (hash, sum, text, raw)
  SELECT hash, sum, text, raw FROM given
  ON CONFLICT (hash) DO NOTHING
), applied AS (
  INSERT INTO ${s}.once (run_id, name) SELECT moved.run_id, 'input ' || input FROM moved, unnest($34::text[]) AS input
)
SELECT (SELECT count(*) FROM moved) AS moved, mode.set FROM mode`;
}
