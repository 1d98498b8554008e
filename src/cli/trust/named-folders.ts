import path from 'node:path';
import { isWithin } from '../../files/is-within.ts';

/** Environment variable with folders that are trusted with everything below them, separated as in PATH. */
export const trustVariable = 'CADRE_TRUST';

/** True when a folder, or one above it, is listed in CADRE_TRUST. */
export function isNamedFolder(place: string, named = process.env[trustVariable] ?? ''): boolean {
  const folders = named.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.some((folder) => isWithin(folder, path.resolve(place)));
}
