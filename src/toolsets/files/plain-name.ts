const plain = /^[a-z0-9_.-]*[a-z0-9_-]$/;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Name of a file as the most lenient file system reads it, for comparing it with names that are refused: without letter case, compatibility
 * forms, invisible characters, trailing dots and spaces, and NTFS streams; `git~1` is how Windows shortens `.git`.
 */
export function plainName(name: string): string {
  if (plain.test(name)) return name;
  const read = name
    .normalize('NFKC')
    .replace(invisible, '')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/(?<![. ])[. ]+$/, '');
  return /^git~\d+$/.test(read) ? '.git' : read;
}

/** Path with `/` between its parts, each as `plainName` gives it. */
export function plainPath(path: string): string {
  return path.split('/').map(plainName).join('/');
}
