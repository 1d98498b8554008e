import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Variables a program needs for its files and its language; none of them is a secret. */
const inherited: readonly string[] = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/**
 * Returns the environment of a server: a few plain variables, those listed for passing on, and those with a given value. Nothing else of
 * this process's environment is passed on.
 */
export function childEnvironment(
  given: Readonly<Record<string, string>>,
  passedOn: readonly string[],
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of [...inherited, ...passedOn]) {
    const value = own[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...given };
}

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
