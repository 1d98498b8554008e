import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { CadreError } from '../../core/error.ts';
import { readUserFile, writeUserFile } from '../../files/user-file.ts';
import { type ConfigEnv, ownFile } from './own-file.ts';
import { realFolder } from './run-folders.ts';

const keyBytes = 32;

/**
 * Returns the key of this machine's user, which signs the runs that the command line records; made when it is first needed. Undefined when
 * none can be kept: then no run is signed. Fails with STORE_FAILED when the file is damaged, or others can read it.
 */
async function machineKey(env: ConfigEnv): Promise<Uint8Array | undefined> {
  const file = machineKeyFile(env);
  const known = await readKey(file);
  if (known !== undefined) return known;
  try {
    await writeUserFile(file, `${randomBytes(keyBytes).toString('hex')}\n`, 'absent');
  } catch {
    // Another process was faster, or there is no folder for settings: then later commands ask about the runs of this one.
  }
  const made = await readKey(file);
  if (made !== undefined || !existsSync(file)) return made;
  throw new CadreError(
    'STORE_FAILED',
    `${file} is no key that only you can read: make it so (chmod 600), or remove it; runs that were recorded until now then need your agreement to continue`,
    { details: { file } },
  );
}

/** Returns the file with the key of this machine's user. */
export function machineKeyFile(env: ConfigEnv = process.env): string {
  return ownFile(env, 'machine-key');
}

/** Returns the key that signs runs of a journal file at its place: the same file elsewhere is another. Undefined when no key can be kept. */
export async function journalSignatureKey(file: string, env: ConfigEnv = process.env): Promise<Uint8Array | undefined> {
  const key = await machineKey(env);
  if (key === undefined) return undefined;
  return createHmac('sha256', key)
    .update(JSON.stringify(['cadre journal 1', await realFolder(file)]))
    .digest();
}

async function readKey(file: string): Promise<Uint8Array | undefined> {
  const text = (await readUserFile(file, 1_000, true))?.trim() ?? '';
  return new RegExp(`^[0-9a-f]{${keyBytes * 2}}$`).test(text) ? Buffer.from(text, 'hex') : undefined;
}
