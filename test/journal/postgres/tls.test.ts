import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { failure } from '../../contracts/journal-contract.ts';
import { runBegin, sampleCommit, sampleOwner, sampleRun } from '../../contracts/journal-samples.ts';
import { makeAuthority, type TestAuthority, whyNoCertificates } from '../../support/certificates.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';

describe.skipIf(whyNoCertificates !== undefined)(`TLS (${whyNoCertificates ?? 'with an authority of the test'})`, () => {
  let server: PostgresServer;
  let authority: TestAuthority;
  beforeAll(async () => {
    server = await PostgresServer.start();
    authority = makeAuthority('IP:127.0.0.1');
    await server.useTls(authority.certificate, authority.key);
  });
  afterAll(() => server.remove());

  const url = (schema: string, rootCertificate: string): string =>
    `${server.url(schema)}&sslmode=verify-full&sslrootcert=${encodeURIComponent(rootCertificate)}`;

  it('verify-full with the authority of the server: every connection is encrypted, and news come through', async () => {
    const [journal, reader] = [1, 2].map(() => createPostgresJournal({ url: url('encrypted', authority.file) }));
    if (journal === undefined || reader === undefined) throw new Error('no journal');
    const runId = sampleRun('run_1');
    const lease = await journal.acquire(runId, sampleOwner('a'));
    let woken = 0;
    reader.watch?.(runId, () => (woken += 1));
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
    expect(await reader.read(runId)).toHaveLength(2);
    await expect.poll(() => woken).toBeGreaterThan(0);
    const connections = await server.query(
      `SELECT DISTINCT ssl.ssl, ssl.version FROM pg_stat_activity JOIN pg_stat_ssl ssl USING (pid) WHERE application_name LIKE 'cadre%'`,
    );
    expect(connections).toEqual([{ ssl: true, version: expect.stringContaining('TLSv1.') as string }]);
    await journal.close();
    await reader.close();
  });

  it('another authority, a server with another name, and a file that is not there are refused, with what to look at', async () => {
    const other = makeAuthority('DNS:elsewhere.example');
    const refused = async (rootCertificate: string): Promise<string> => {
      const journal = createPostgresJournal({ url: url('refused', rootCertificate) });
      const { message } = await failure('STORE_FAILED', () => journal.runs());
      await journal.close();
      return message;
    };
    expect(await refused(other.file)).toMatch(/no secure connection \(.*certificate.*sslrootcert in docs\/postgres\.md/);
    await server.useTls(other.certificate, other.key);
    expect(await refused(other.file)).toMatch(/no secure connection \(.*127\.0\.0\.1.*sslmode/);
    expect(await refused('/nowhere/ca.crt')).toMatch(/cannot be read \(.*\/nowhere\/ca\.crt.*sslrootcert/);
  });
});
