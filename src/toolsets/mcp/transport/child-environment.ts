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
