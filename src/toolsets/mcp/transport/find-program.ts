import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns why a program cannot be started: it does not exist, or is not executable; undefined when it can be. Searches like the operating
 * system.
 */
export function programProblem(command: string, searchPath: string | undefined, cwd: string): 'ENOENT' | 'EACCES' | undefined {
  if (process.platform === 'win32') return undefined;
  const places = command.includes('/')
    ? [path.resolve(cwd, command)]
    : (searchPath ?? '/usr/bin:/bin').split(':').map((folder) => path.resolve(cwd, folder, command));
  const found = places.filter((place) => statSync(place, { throwIfNoEntry: false })?.isFile() === true);
  if (found.length === 0) return 'ENOENT';
  return found.some(mayRun) ? undefined : 'EACCES';
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
