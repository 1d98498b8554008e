import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/index.ts';
import type { ErrorCode } from '../../../src/core/error.ts';
import { addressOf } from '../../../src/journal/codec/text-address.ts';
import { createPostgresJournal, type PostgresJournalOptions } from '../../../src/journal/postgres/postgres-journal.ts';
import { toPostgresError } from '../../../src/journal/postgres/postgres-failure.ts';
import { failure } from '../../contracts/journal-contract.ts';
import { note, runBegin, sampleCommit, sampleOwner, sampleRun } from '../../contracts/journal-samples.ts';
import { sharedServer } from '../../support/postgres/postgres-server.ts';

const server = await sharedServer();
const runId = sampleRun('run_1');
const key = 'a key of more than sixteen bytes';

/** A schema with a run of four events in two commits, and a text. */
async function written(options: Partial<PostgresJournalOptions> = {}): Promise<{ readonly url: string; readonly schema: string }> {
  const schema = server.newSchema();
  const url = server.url(schema);
  const journal = createPostgresJournal({ url, ...options });
  const lease = await journal.acquire(runId, sampleOwner('a'));
  const text = 'a text';
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first'), { contents: [{ hash: addressOf(text), text }] }));
  await journal.append(lease, sampleCommit(runId, 2, [note('3'), note('4')]));
  await journal.close();
  return { url, schema };
}

/** Expects that using a journal fails, and that the error does not tell the password. */
async function refused(
  code: ErrorCode,
  options: PostgresJournalOptions,
): Promise<{ readonly message: string; readonly details: object }> {
  const journal = createPostgresJournal(options);
  try {
    const { message, details, cause } = await failure(code, () => journal.runs());
    const password = decodeURIComponent(new URL(options.url).password);
    expect(password === '' ? 'x' : `${message} ${JSON.stringify(details)} ${String(cause)} ${journal.location}`).not.toContain(
      password === '' ? 'y' : password,
    );
    return { message, details };
  } finally {
    await journal.close();
  }
}

describe('a server that cannot be used is named, with what to do', () => {
  it('wrong password, no such user, no such database, no server', async () => {
    const wrong = await refused('STORE_FAILED', { url: server.url('x', { user: 'cadre_test', password: 'a wrong one' }) });
    expect(wrong.message).toMatch(
      /^postgres:\/\/cadre_test:\*\*\*@127\.0\.0\.1:\d+\/postgres\?schema=x, listing the runs: .*PGPASSWORD/,
    );
    const none = await refused('STORE_FAILED', { url: server.url('x').replace('/postgres?', '/nowhere?') });
    expect(none.message).toMatch(/there is no such database .*createdb/);
    const gone = await refused('STORE_FAILED', { url: server.url('x').replace(/:\d+\//, ':1/') });
    expect(gone.message).toMatch(/no connection to the server .*ECONNREFUSED.*check that it runs/);
    const tls = await refused('STORE_FAILED', { url: `${server.url('x')}&sslmode=verify-full` });
    expect(tls.message).toMatch(/no secure connection .*sslmode/);
  });

  it('a role without rights; with the documented rights it works, and without them on a schema that exists', async () => {
    const { schema } = await written();
    await server.query(`CREATE ROLE ${schema}_r LOGIN PASSWORD 'role pw'`);
    const as = { user: `${schema}_r`, password: 'role pw' };
    expect((await refused('STORE_FAILED', { url: server.url(`${schema}_new`, as) })).message).toMatch(
      /lacks a right .*docs\/postgres\.md/,
    );
    expect((await refused('STORE_FAILED', { url: server.url(schema, as) })).message).toMatch(/lacks a right/);
    await server.query(
      `GRANT USAGE ON SCHEMA ${schema} TO ${as.user}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${as.user}`,
    );
    const journal = createPostgresJournal({ url: server.url(schema, as) });
    const lease = await journal.acquire(runId, sampleOwner('b'));
    await journal.append(lease, sampleCommit(runId, 4, [note('5')]));
    expect(await journal.read(runId)).toHaveLength(5);
    await journal.close();
  });

  it('a server that is too old is named with its version', async () => {
    const role = `${server.newSchema()}_old`;
    // For this role the server says that it is another one.
    await server.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'role pw'; CREATE SCHEMA ${role}; GRANT USAGE ON SCHEMA ${role} TO ${role};
       CREATE FUNCTION ${role}.current_setting(text) RETURNS text LANGUAGE sql AS
         $$ SELECT CASE $1 WHEN 'server_version_num' THEN '140011' ELSE '14.11' END $$;
       ALTER ROLE ${role} SET search_path = ${role}, pg_catalog`,
    );
    const { message } = await refused('STORE_FAILED', { url: server.url('old', { user: role, password: 'role pw' }) });
    expect(message).toMatch(/the server is PostgreSQL 14\.11; version 15 or a later one is needed/);
  });

  it('a journal that is open for reading takes no run and marks none; an engine is not opened on a URL', async () => {
    const { url } = await written();
    const journal = createPostgresJournal({ url, readOnly: true });
    expect(await journal.read(runId)).toHaveLength(4);
    for (const write of [() => journal.acquire(runId, sampleOwner('r')), () => journal.mark?.(runId, { title: 'x' })])
      expect((await failure('STORE_FAILED', write)).message).toContain('open for reading only');
    await journal.close();
    const { message } = await failure('OPTION_INVALID', () => createEngine({ profiles: { files: [] }, store: url }));
    expect(message).toContain('createPostgresJournal');
    expect(message).not.toContain(new URL(url).password);
  });

  it('reading creates no schema', async () => {
    const { message } = await refused('STORE_FAILED', { url: server.url(server.newSchema()), readOnly: true });
    expect(message).toMatch(/there is no journal in schema test_\w+/);
  });

  it('a URL, a schema or a number that is none is refused at once', async () => {
    const url = server.url('x');
    for (const options of [
      { url: 'journal.db' },
      { url: 'mysql://u:pw@host/db' },
      { url: 'postgres://u:p@ss w/rd@host:no/db' },
      { url, schema: 'No"Name' },
      { url, schema: '' },
      { url, maxConnections: 0 },
      { url, statementTimeoutMs: 1.5 },
      { url, leases: { heartbeatMs: 10, expiryMs: 20 } },
      { url, integrity: { key: 'short' } },
    ]) {
      const { message } = await failure('OPTION_INVALID', () => createPostgresJournal(options));
      expect(message).not.toMatch(/p@ss|:pw@/);
    }
  });
});

describe('a schema that is not what this version wrote', () => {
  it.each([
    [1, ['loose_texts', 'snapshots', 'once', 'snapshot_parts']],
    [2, ['once', 'snapshot_parts']],
    [3, ['snapshot_parts']],
    [4, []],
  ])('layout %i is brought to the present one, with its runs, by the first of several processes', async (version, later) => {
    const { url, schema } = await written();
    const columns = (): Promise<readonly unknown[]> =>
      server.query(
        `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = '${schema}' ORDER BY 1, 2`,
      );
    const fresh = await columns();
    for (const table of later) await server.query(`DROP TABLE ${schema}.${table}`);
    await server.query(`UPDATE ${schema}.meta SET value = '${version}' WHERE key = 'schema_version'`);
    const journals = [1, 2, 3].map(() => createPostgresJournal({ url }));
    const read = await Promise.all(journals.map(async (journal) => await journal.read(runId)));
    expect(read.map(({ length }) => length)).toEqual([4, 4, 4]);
    expect(await journals[0]?.shared?.mark(runId, 'start')).toBe(true);
    expect(await server.query(`SELECT value FROM ${schema}.meta WHERE key = 'schema_version'`)).toEqual([{ value: '5' }]);
    expect(await columns()).toEqual(fresh);
    await Promise.all(journals.map((journal) => journal.close()));
  });

  it('a newer layout is refused, and left as it is', async () => {
    const { url, schema } = await written();
    await server.query(`UPDATE ${schema}.meta SET value = '99'`);
    expect((await refused('STORE_NEWER', { url })).message).toMatch(/layout 99, .* up to 5; update Cadre/);
    await server.query(`UPDATE ${schema}.meta SET value = 'x'`);
    await refused('STORE_CORRUPT', { url });
  });

  it('an older layout is read as it is, and migrated when something may be written', async () => {
    const { url, schema } = await written();
    await server.query(
      `DROP TABLE ${schema}.loose_texts, ${schema}.snapshots, ${schema}.once, ${schema}.snapshot_parts; UPDATE ${schema}.meta SET value = '1'`,
    );
    const reader = createPostgresJournal({ url, readOnly: true });
    const events = await reader.read(sampleRun('run_1'));
    await reader.close();
    const journal = createPostgresJournal({ url });
    expect(await journal.read(sampleRun('run_1'))).toEqual(events);
    await journal.mark?.(sampleRun('run_1'), { deletedAt: 5 });
    await journal.erase?.(sampleRun('run_1'));
    expect(await journal.eraseLooseTexts?.()).toBe(1);
    expect(await journal.runs({ isDeleted: true })).toEqual([]);
    await journal.close();
  });

  it.each([
    [`UPDATE commits SET body = replace(body, 'first', 'other')`, 'from seq 1'],
    [`UPDATE commits SET at = at + 1 WHERE first_seq = 3`, 'from seq 3'],
    [`UPDATE commits SET run_id = 'run_2' WHERE first_seq = 3`, 'after seq 2'],
    [`DELETE FROM commits WHERE first_seq = 1`, 'after seq 0'],
    [`DELETE FROM commits WHERE first_seq = 3`, 'after seq 2'],
    [`DROP TABLE commits`, 'is missing'],
    [`ALTER TABLE commits DROP COLUMN body`, 'is missing'],
  ])('%s is reported when the run is read', async (change, said) => {
    const { url, schema } = await written();
    await server.query(`SET search_path = ${schema}; ${change}`);
    const journal = createPostgresJournal({ url });
    const { message } = await failure('STORE_CORRUPT', () => journal.read(runId));
    expect(message).toContain(said);
    await journal.close();
  });

  it('a text that was changed is reported when it is asked for', async () => {
    const { url, schema } = await written();
    await server.query(`UPDATE ${schema}.contents SET text = 'another text'`);
    const journal = createPostgresJournal({ url });
    expect(await journal.read(runId)).toHaveLength(4);
    const { message } = await failure('STORE_CORRUPT', () => journal.content(addressOf('a text')));
    expect(message).toContain(`table ${schema}.contents, row ${addressOf('a text')}`);
    // The next commit that brings the right one replaces it.
    const lease = await journal.acquire(sampleRun('run_2'), sampleOwner('b'));
    const contents = [{ hash: addressOf('a text'), text: 'a text' }];
    await journal.append(lease, sampleCommit(lease.runId, 0, runBegin('second'), { contents }));
    expect(journal.content(addressOf('a text'))).toBe('a text');
    await journal.close();
    const later = createPostgresJournal({ url });
    await later.read(runId);
    expect(later.content(addressOf('a text'))).toBe('a text');
    await later.close();
  });

  it('with a key, rows whose checksum was made to fit are found, and runs do not go on with another key or none', async () => {
    const { url, schema } = await written({ integrity: { key } });
    const without = createPostgresJournal({ url });
    const lease = await without.acquire(runId, sampleOwner('b'));
    expect((await failure('STORE_FAILED', () => without.append(lease, sampleCommit(runId, 4, [note('5')])))).message).toMatch(
      /is sealed with a key/,
    );
    await without.close();
    const other = createPostgresJournal({ url, integrity: { key: `${key}!` } });
    await failure('STORE_CORRUPT', () => other.read(runId));
    await other.close();
    const journal = createPostgresJournal({ url, integrity: { key } });
    expect(await journal.read(runId, { after: 3 })).toHaveLength(1);
    await server.query(`UPDATE ${schema}.commits SET seal = NULL WHERE first_seq = 3`);
    expect((await failure('STORE_CORRUPT', () => journal.read(runId))).message).toMatch(/from seq 3 on, has no seal/);
    await journal.close();
  });
});

describe('texts in memory', () => {
  it('reading any part of a run makes its texts answer, also those of a run it was forked from', async () => {
    const { url } = await written();
    const journal = createPostgresJournal({ url });
    const hash = addressOf('a text');
    expect(journal.content(hash)).toBeUndefined();
    await journal.read(runId, { after: 3, limit: 1 });
    expect(journal.content(hash)).toBe('a text');
    const forked = sampleRun('run_2');
    const lease = await journal.acquire(forked, sampleOwner('b'));
    await journal.append(lease, sampleCommit(forked, 0, [...runBegin('fork'), note(hash)]));
    await journal.release(lease);
    const other = createPostgresJournal({ url });
    await other.acquire(forked, sampleOwner('c'));
    expect(other.content(hash)).toBe('a text');
    await other.close();
    await journal.close();
  });
});

describe('memory for texts', () => {
  it('is bounded: texts of the runs read longest ago go first, those of held runs and of the last one stay, and reading brings them back', async () => {
    const url = server.url(server.newSchema());
    const writer = createPostgresJournal({ url });
    const names = ['a', 'b', 'c'].map((name) => ({ name: sampleRun(name), text: name.repeat(1_000) }));
    for (const { name, text } of names) {
      const lease = await writer.acquire(name, sampleOwner('w'));
      await writer.append(lease, sampleCommit(name, 0, runBegin(name), { contents: [{ hash: addressOf(text), text }] }));
      await writer.release(lease);
      expect(writer.content(addressOf(text))).toBe(text);
    }
    await writer.close();
    const journal = createPostgresJournal({ url, textMemory: 1_500 });
    const read = new Set<string>();
    const kept = (): readonly string[] =>
      names.flatMap(({ name, text }) => {
        try {
          const found = journal.content(addressOf(text));
          return found === undefined ? [] : [name];
        } catch (thrown) {
          // F88: a text that was let go is not one that does not exist.
          expect(thrown).toMatchObject({ code: 'STORE_FAILED', details: { isLetGo: true } });
          expect(read).toContain(name);
          return [];
        }
      });
    const seen: (readonly string[])[] = [];
    for (const name of ['a', 'b', 'a']) {
      await journal.read(sampleRun(name));
      read.add(name);
      seen.push(kept());
    }
    expect(seen).toEqual([['a'], ['b'], ['a']]);
    await journal.acquire(sampleRun('b'), sampleOwner('r'));
    await journal.read(sampleRun('c'));
    expect(kept()).toEqual(['b', 'c']);
    await journal.close();
  });
});

describe('what the server says', () => {
  it.each([
    ['53100', { mayPass: true }, "server's disk is full"],
    ['53300', { isLocked: true, mayPass: true }, 'no connection left'],
    ['57014', { isLocked: true, mayPass: true }, 'took too long'],
    ['40P01', { isLocked: true, mayPass: true }, 'wrote at the same time'],
    ['57P01', { isLocked: true, isUnreachable: true }, 'no connection'],
    ['25006', { mayPass: true }, 'only reads'],
    ['28000', {}, 'pg_hba.conf'],
  ])('%s: whether waiting helps, and what to do', (code, details, said) => {
    const thrown = Object.assign(new Error('words of the server'), { code });
    const error = toPostgresError(thrown, { location: 'postgres://host/db', doing: 'appending' });
    expect(error).toMatchObject({ code: 'STORE_FAILED', details: { location: 'postgres://host/db', sqlState: code, ...details } });
    expect(error.message).toMatch(/^postgres:\/\/host\/db, appending: /);
    expect(error.message).toContain(said);
    expect(error.message).toContain('words of the server');
    if (!('isLocked' in details)) expect(error.details).not.toHaveProperty('isLocked');
  });

  it('damage that the server finds is damage', () => {
    const thrown = Object.assign(new Error('invalid page'), { code: 'XX001' });
    expect(toPostgresError(thrown, { location: 'x', doing: 'reading' }).code).toBe('STORE_CORRUPT');
  });
});

describe('news between processes', () => {
  it('a watcher is woken by a commit, a mark and a release of another journal, until it leaves', async () => {
    const { url } = await written();
    const [writer, reader] = [createPostgresJournal({ url }), createPostgresJournal({ url, readOnly: true })];
    const woken: string[] = [];
    const leave = reader.watch?.(runId, () => woken.push('run'));
    reader.watch?.(undefined, () => woken.push('any'));
    // The first call tells that it listens: what changed before may have been missed.
    await expect.poll(() => woken.toSorted()).toEqual(['any', 'run']);
    const lease = await writer.acquire(runId, sampleOwner('w'));
    await writer.append(lease, sampleCommit(runId, 4, [note('5')]));
    await expect.poll(() => woken.length, { timeout: 2_000 }).toBe(4);
    leave?.();
    await writer.mark?.(runId, { title: 'other' });
    await expect.poll(() => woken.length).toBe(5);
    expect(woken.filter((who) => who === 'run')).toHaveLength(2);
    await writer.close();
    await reader.close();
  });
});
