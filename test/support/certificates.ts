import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** An authority with a certificate of its own, and one that it signed for a server. */
export interface TestAuthority {
  /** File with the authority's certificate. */
  readonly file: string;
  readonly certificate: string;
  readonly key: string;
}

/** Reason why none can be made here; undefined where one can. */
export const whyNoCertificates = reason();

function reason(): string | undefined {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'openssl is not there';
  }
}

/** Makes an authority, and a server's certificate for a host or address: `IP:127.0.0.1`. */
export function makeAuthority(name: string): TestAuthority {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-authority-'));
  const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=Test authority');
  openssl('req', '-new', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=Test server');
  writeFileSync(path.join(folder, 'names'), `subjectAltName=${name}\n`);
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.crt', ...signed);
  const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
  return { file: path.join(folder, 'ca.crt'), certificate: read('server.crt'), key: read('server.key') };
}
