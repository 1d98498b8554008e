import { homedir } from 'node:os';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';
import { readUserFile, writeUserFile } from '../../files/user-file.ts';

/** Recorded agreement of the user. */
export interface TrustEntry {
  /** SHA-256 of the agreed reach or folder, in hexadecimal. */
  readonly hash: string;
  /** Folder or journal that was checked, for people. */
  readonly place: string;
  /** Wall time in milliseconds since 1970. */
  readonly at: number;
}

/** Maximum number of entries; the oldest are dropped and asked again. */
const maxEntries = 1_000;
const maxFileBytes = 1_000_000;

/** Returns the file with the agreements of this machine's user: `cadre/trust.json` below XDG_CONFIG_HOME, or ~/.config. */
export function trustFile(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = env['XDG_CONFIG_HOME'];
  const base = named !== undefined && path.isAbsolute(named) ? named : path.join(homedir(), '.config');
  return path.join(base, 'cadre', 'trust.json');
}

/** Reads all agreements; empty for a file that others can write, or that is damaged. */
export async function readTrust(file: string): Promise<readonly TrustEntry[]> {
  const text = await readUserFile(file, maxFileBytes);
  if (text === undefined) return [];
  try {
    const read: unknown = readJson(text);
    const entries = isJsonObject(read) ? read['trusted'] : undefined;
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

/** Stores an entry in a file that only its user can read and write. Fails with STORE_FAILED, naming the file. */
export async function rememberTrust(file: string, entry: TrustEntry): Promise<void> {
  try {
    const others = (await readTrust(file)).filter(({ hash }) => hash !== entry.hash);
    await writeUserFile(file, `${JSON.stringify({ trusted: [...others, entry].slice(-maxEntries) }, undefined, 2)}\n`);
  } catch (thrown) {
    throw new CadreError('STORE_FAILED', `${file}: the agreement cannot be saved: ${describeThrown(thrown)}`, {
      cause: thrown,
    });
  }
}

function isEntry(value: unknown): value is TrustEntry {
  return (
    isJsonObject(value) &&
    typeof value['hash'] === 'string' &&
    typeof value['place'] === 'string' &&
    typeof value['at'] === 'number'
  );
}
