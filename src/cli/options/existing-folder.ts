import { statSync } from 'node:fs';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';

/** Parses an option that names an existing folder. */
export function existingFolder(value: string): string {
  const folder = path.resolve(value);
  if (folder === path.parse(folder).root)
    throw new InvalidArgumentError('this is the whole disk; name the folder for tools to work in');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new InvalidArgumentError(`there is no folder ${folder}; create it first, or leave the option out`);
}
