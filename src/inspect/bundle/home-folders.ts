/** Characters that end a folder name in a text. */
const endOfName = '(?=[/\\\\"\'`\\s:;,)\\]}<>|?#]|$)';
const notInName = '(?<![\\w.~-])';

/**
 * Makes the pattern of home folders in texts: those of any Linux, macOS or Windows user (backslashes may be doubled by JSON), the
 * superuser's, and those that are named.
 */
export function homePattern(named: readonly string[]): RegExp {
  const own = named
    .filter((folder) => folder.length > 3)
    .toSorted((a, b) => b.length - a.length)
    .map((folder) => `${RegExp.escape(folder.replace(/(?<![/\\])[/\\]+$/, ''))}${endOfName}`);
  const user = '[^/\\\\\\s"\'`:;,)\\]}<>|?#*$~{(\\[]{1,64}';
  const usual = [`/(?:home|Users)/${user}${endOfName}`, `/root(?=/)`, `[A-Za-z]:\\\\{1,4}Users\\\\{1,4}${user}(?=[\\\\"'\`\\s]|$)`];
  return new RegExp(`${notInName}(?:${[...own, ...usual].join('|')})`, 'g');
}
