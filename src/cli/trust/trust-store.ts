import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';
import { readUserFile, writeUserFile } from '../../files/user-file.ts';
import { type ConfigEnv, ownFile } from './own-file.ts';

/** Recorded agreement of the user. */
export interface TrustEntry {
  /** SHA-256 of what was agreed to, in hexadecimal. */
  readonly hash: string;
  /** Folder or journal that was checked, for people. */
  readonly place: string;
  /** Wall time in milliseconds since 1970. */
  readonly at: number;
}

/** Maximum number of entries, and of those for one place; the oldest are dropped and asked again. */
const maxEntries = 2_000;
const maxOfPlace = 100;
const maxFileBytes = 2_000_000;

/** Returns the file with the agreements of this machine's user. */
export function trustFile(env: ConfigEnv = process.env): string {
  return ownFile(env, 'trust.json');
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

/** Stores entries in a file that only its user can read and write. Fails with STORE_FAILED, naming the file. */
export async function rememberTrust(file: string, ...entries: readonly TrustEntry[]): Promise<void> {
  try {
    const hashes = new Set(entries.map(({ hash }) => hash));
    const all = [...(await readTrust(file)).filter(({ hash }) => !hashes.has(hash)), ...entries];
    const kept = all.filter((entry, index) => all.slice(index).filter(({ place }) => place === entry.place).length <= maxOfPlace);
    await writeUserFile(file, `${JSON.stringify({ trusted: kept.slice(-maxEntries) }, undefined, 2)}\n`);
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
