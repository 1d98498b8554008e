import { constants } from 'node:fs';
import { chmod, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { nanoid } from 'nanoid';
import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';

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
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (handle === undefined) return [];
  try {
    const { uid, mode, size } = await handle.stat();
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (!isOwn || size > maxFileBytes) return [];
    const read: unknown = readJson(await handle.readFile('utf8'));
    const entries = isJsonObject(read) ? read['trusted'] : undefined;
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  } finally {
    await handle.close();
  }
}

/** Stores an entry in a file that only its user can read and write. Fails with STORE_FAILED, naming the file. */
export async function rememberTrust(file: string, entry: TrustEntry): Promise<void> {
  try {
    const folder = path.dirname(file);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const others = (await readTrust(file)).filter(({ hash }) => hash !== entry.hash);
    const draft = path.join(folder, `.trust-${nanoid(8)}`);
    await writeFile(draft, `${JSON.stringify({ trusted: [...others, entry].slice(-maxEntries) }, undefined, 2)}\n`, {
      mode: 0o600,
    });
    await chmod(draft, 0o600);
    await rename(draft, file);
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
