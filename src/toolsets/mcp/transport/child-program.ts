import { safePath } from '../../../files/programs/outside-environment.ts';

/** Variables a program needs for its files and its language; none of them is a secret. */
const inherited: readonly string[] = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LOGNAME',
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
 * this process's environment is passed on. PATH leaves out folders that an agent or a project can write: scripts such as `npx` find
 * their interpreter by it.
 */
export function childEnvironment(
  given: Readonly<Record<string, string>>,
  passedOn: readonly string[],
): Readonly<Record<string, string>> {
  const environment: Record<string, string> = { PATH: safePath() };
  for (const name of [...inherited, ...passedOn]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...given };
}
