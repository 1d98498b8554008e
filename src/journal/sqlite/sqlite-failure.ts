import { CadreError } from '../../core/error.ts';

/** SQLite's primary result codes that get a specific message here (sqlite.org/rescode.html). */
const resultCodes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
  protocol: 15,
} as const;

/** Place of damage in a journal file (a row or an operation), and the error behind it. */
interface Damage {
  readonly where?: string;
  readonly cause?: unknown;
}

/** Error for a file that is damaged or not a journal. */
export function corruptJournal(file: string, why: string, { where = '', cause }: Damage = {}): CadreError {
  return new CadreError(
    'STORE_CORRUPT',
    `${file}${where === '' ? '' : `, ${where}`}: ${why}. Restore the file from a copy; nothing was changed in it`,
    {
      details: { file, where },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** Error for events that a later version wrote: they are whole, but this version cannot read them. */
export function newerEvents(file: string, where: string, cause: CadreError): CadreError {
  return new CadreError(
    'STORE_NEWER',
    `${file}, ${where}: a newer version of Cadre wrote this (${cause.message}); update Cadre to read the run. Nothing was changed`,
    { details: { file, where }, cause },
  );
}

/** Converts what SQLite threw into an error of the `Journal` port; `doing` names the operation. */
export function toStoreError(thrown: unknown, file: string, doing: string): CadreError {
  if (thrown instanceof CadreError) return thrown;
  const code = primaryCode(thrown);
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  const damage = { where: doing, cause: thrown };
  if (code === resultCodes.corrupt) return corruptJournal(file, `SQLite finds the file damaged (${said})`, damage);
  // node:sqlite rejects integers outside JavaScript's safe range; Cadre writes none.
  if (thrown instanceof RangeError) return corruptJournal(file, `it holds a number that Cadre never writes (${said})`, damage);
  if (code === resultCodes.notADatabase)
    return corruptJournal(file, 'the file is not a journal (SQLite cannot read it as a database)', damage);
  return new CadreError('STORE_FAILED', `${file}, ${doing}: ${explain(code, said)}`, {
    details: { file, doing, ...(code === undefined ? {} : { sqlite: code }), ...passing(thrown) },
    cause: thrown,
  });
}

/** Returns the message for runs whose leases could not be cleared in the file when the journal was closed. */
export function leftLeases(file: string, runIds: readonly string[], cause: unknown): string {
  const named = runIds.slice(0, 5).join(', ') + (runIds.length > 5 ? ` and ${runIds.length - 5} more` : '');
  const why = cause instanceof Error ? cause.message : String(cause);
  return `${file}: closed, but the file still lists ${named} as held (${why}). This process can resume them immediately; others can once it has ended, or with --take-over`;
}

/** Returns the details of a failure that can pass by itself or once there is space again. */
function passing(thrown: unknown): Readonly<Record<string, true>> {
  if (isLocked(thrown)) return { isLocked: true, mayPass: true };
  const system = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return primaryCode(thrown) === resultCodes.full || system === 'ENOSPC' || system === 'EDQUOT' ? { mayPass: true } : {};
}

/** True when SQLite could not begin because another process has the file locked: nothing was done, and the work can be retried. */
export function isLocked(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === resultCodes.busy || code === resultCodes.protocol;
}

/** True when the disk has no room for a write. */
export function isFull(thrown: unknown): boolean {
  return primaryCode(thrown) === resultCodes.full;
}

function explain(code: number | undefined, said: string): string {
  switch (code) {
    case resultCodes.busy:
    case resultCodes.protocol:
    case resultCodes.locked:
      return `another process keeps the file locked (${said}); nothing was written. End the other process or try again`;
    case resultCodes.readOnly:
      return `the file cannot be written (${said}); nothing was written. Check its permissions, or open it with readOnly`;
    case resultCodes.ioError:
      return `the disk failed, or the file reached its size limit (${said}); nothing was written. Check the disk and its limits, and try again`;
    case resultCodes.full:
      return `there is no space left (${said}); nothing was written. Free some space and try again`;
    case resultCodes.cantOpen:
      return `the file cannot be opened (${said}). Check that it exists and that its directory may be written`;
    default:
      return `${said}; nothing was written`;
  }
}

function primaryCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return undefined;
  // The low byte is the primary code, the rest is the extended code.
  return thrown.errcode & 0xff;
}
