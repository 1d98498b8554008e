import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { anything } from './anything.ts';
import { makeFolders } from './make-folder.ts';

/** Permissions of others that a file of the user must not give. */
const mayWrite = 0o022;
const mayRead = 0o077;

/**
 * Reads a file in the user's own folder that only its user can write; undefined for a missing, a linked, a foreign or a larger one, and for
 * a secret that others can read.
 */
export async function readUserFile(file: string, maxBytes: number, isSecret = false): Promise<string | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    const isOwn =
      process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & (isSecret ? mayRead : mayWrite)) === 0);
    return stats.isFile() && isOwn && stats.size <= maxBytes ? await handle.readFile('utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file in the user's own folder, whole, readable and writable by its user alone. Links to the folder are the user's.
 *
 * @param expected `absent`: fails when the file exists
 */
export async function writeUserFile(file: string, text: string, expected?: 'absent'): Promise<void> {
  const { path: root } = makeFolders(path.dirname(file), 0o700);
  const bytes = new TextEncoder().encode(text);
  // Loaded when it is needed: commands that only read need no guard of writes.
  const { writeInside } = await import('./write-inside.ts');
  await writeInside({
    root,
    file: path.basename(file),
    what: 'your own folder',
    bytes,
    mode: 0o600,
    allows: anything,
    ...(expected === undefined ? {} : { expected }),
  });
}
