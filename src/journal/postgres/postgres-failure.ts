import { CadreError } from '../../core/error.ts';

/** Operation that failed: where, and what was being done. */
export interface FailedOperation {
  /** URL with the password masked. */
  readonly location: string;
  readonly doing: string;
}

/** Damage in a journal: its place (a row), and the error behind it. */
interface Damage {
  readonly where?: string;
  readonly cause?: unknown;
}

/** Error for a journal that is damaged, or a schema that holds something else. */
export function corruptPostgres(location: string, why: string, { where = '', cause }: Damage = {}): CadreError {
  return new CadreError(
    'STORE_CORRUPT',
    `${location}${where === '' ? '' : `, ${where}`}: ${why}. Restore the schema from a backup; nothing was changed in it`,
    { details: { location, where }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** Error for events that a later version wrote. */
export function newerPostgresEvents(location: string, where: string, cause: CadreError): CadreError {
  return new CadreError(
    'STORE_NEWER',
    `${location}, ${where}: a newer version of Cadre wrote this (${cause.message}); update Cadre to read the run. Nothing was changed`,
    { details: { location, where }, cause },
  );
}

/** Message for a failure, and what may be done about it. */
interface Explanation {
  readonly text: string;
  /** The same work may succeed later without anybody's help: a run waits for it. */
  readonly isLocked?: true;
  /** The cause may pass: a run that halted is resumed later. */
  readonly mayPass?: true;
}

const waits = { isLocked: true, mayPass: true } as const;

/** Messages by SQLSTATE, or by its class of two characters (postgresql.org/docs/current/errcodes-appendix.html). */
const explanations: Readonly<Record<string, (said: string) => Explanation>> = {
  '28P01': (said) => ({ text: `the server refused the password (${said}); correct it in the URL, or in PGPASSWORD` }),
  '28000': (said) => ({ text: `the server does not let this user in (${said}); see its pg_hba.conf` }),
  '3D000': (said) => ({ text: `there is no such database (${said}); create it with: createdb NAME` }),
  '3F000': (said) => ({ text: `there is no such schema (${said})` }),
  '42501': (said) => ({
    text: `the user lacks a right (${said}); grant it what docs/postgres.md lists, or let the schema's owner open the journal once`,
  }),
  '25006': (said) => ({
    text: `the server only reads (${said}); name the primary server, or open the journal with readOnly`,
    mayPass: true,
  }),
  '53100': (said) => ({ text: `the server's disk is full (${said}); nothing was written. Free some space there`, mayPass: true }),
  '53300': (said) => ({
    text: `the server has no connection left (${said}); lower maxConnections, or raise the server's`,
    ...waits,
  }),
  '57P03': (said) => ({ text: `the server refuses connections for now (${said}); it starts, stops or recovers`, ...waits }),
  '53': (said) => ({ text: `the server lacks resources (${said}); nothing was written`, mayPass: true }),
  '57014': (said) => ({ text: `the server took too long and stopped (${said}); nothing was written`, ...waits }),
  '55P03': (said) => ({ text: `another process keeps it locked (${said}); nothing was written`, ...waits }),
  '40': (said) => ({ text: `another process wrote at the same time (${said}); nothing was written`, ...waits }),
};

/** Codes of the server and of the system that mean: there is no connection, now. */
const connectionCodes =
  /^(?:08...|57P0[0-5]|25P03|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|ENOENT)$/;

/** Messages of the driver that have no code. */
const connectionMessages =
  /Connection terminated|connection error and is not queryable|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client was closed/i;

/** True when the connection failed, so that it is not known whether what was sent happened. */
export function isConnectionFailure(thrown: unknown): boolean {
  if (thrown instanceof CadreError) return thrown.details['isUnreachable'] === true;
  if (isMissingFile(thrown)) return false;
  const code = codeOf(thrown);
  if (code !== undefined) return connectionCodes.test(code);
  if (thrown instanceof AggregateError) return thrown.errors.some(isConnectionFailure);
  return thrown instanceof Error && connectionMessages.test(thrown.message);
}

/** What poolers say, with codes of their own, when they have no connection to give. */
const poolerRefusals =
  /max(?:imum)? client (?:connections|clients)? ?reached|max clients reached|no more connections allowed|could not get connection from the pool|query_wait_timeout|server login (?:has been )?fail|timed[ -]out waiting to acquire/i;

/** True when a server or pooler was reached, and refuses connections for now: it has no connection left, or it starts or stops. */
export function isRefusedForNow(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown instanceof CadreError) return false;
  const code = codeOf(thrown);
  return code === '53300' || code === '57P03' || poolerRefusals.test(thrown.message);
}

/** Converts what the driver or the server threw into an error of the `Journal` port. */
export function toPostgresError(thrown: unknown, { location, doing }: FailedOperation): CadreError {
  if (thrown instanceof CadreError) return thrown;
  const said = messageOf(thrown);
  const code = codeOf(thrown);
  if (code === 'XX001' || code === 'XX002')
    return corruptPostgres(location, `the server finds its data damaged (${said})`, { where: doing, cause: thrown });
  if (code === '42P01' || code === '42703')
    return corruptPostgres(location, `a part of the journal is missing (${said})`, { where: doing, cause: thrown });
  const isRefused = isRefusedForNow(thrown);
  const isUnreachable = isConnectionFailure(thrown);
  const { text, ...passing } = isRefused
    ? explain(code === '57P03' ? code : '53300', said)
    : isUnreachable
      ? unreachable(said)
      : isMissingFile(thrown)
        ? { text: `a file that the URL names for TLS cannot be read (${said}); see sslrootcert in docs/postgres.md` }
        : explain(code, said);
  return new CadreError('STORE_FAILED', `${location}, ${doing}: ${text}`, {
    details: {
      location,
      doing,
      ...(code === undefined ? {} : { sqlState: code }),
      ...(isUnreachable ? { isUnreachable } : {}),
      ...passing,
    },
    cause: thrown,
  });
}

/** True when a certificate cannot be read; a socket that is not there fails to connect instead. */
function isMissingFile(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'open' && codeOf(thrown) !== undefined;
}

function unreachable(said: string): Explanation {
  return { text: `there is no connection to the server (${said}); check that it runs, and that host and port are right`, ...waits };
}

function explain(code: string | undefined, said: string): Explanation {
  const known = code === undefined ? undefined : (explanations[code] ?? explanations[code.slice(0, 2)]);
  if (known !== undefined) return known(said);
  if (/password must be a string|no password/i.test(said))
    return { text: `the server asks for a password (${said}); give it in PGPASSWORD, or in the URL` };
  if (/SSL|TLS|certificate|self.signed/i.test(said))
    return { text: `no secure connection (${said}); see sslmode and sslrootcert in docs/postgres.md` };
  return { text: `${said}; nothing was written` };
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && thrown.code !== ''
    ? thrown.code
    : undefined;
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(messageOf).join('; ');
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return said === '' ? (codeOf(thrown) ?? 'no reason given') : said;
}
