import path from 'node:path';
import { isBelow } from './run-folders.ts';

/** Folders that are trusted with all that is below them, separated like those of PATH. */
export const trustVariable = 'CADRE_TRUST';

/** Tells whether a folder, or one above it, is among those that the user trusts. */
export function isNamedFolder(place: string, named = process.env[trustVariable] ?? ''): boolean {
  const folders = named.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.some((folder) => isBelow(folder, path.resolve(place)));
}
