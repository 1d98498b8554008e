const plain = /^[a-z0-9_.-]*[a-z0-9_-]$/;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Returns a file name as the most lenient file system reads it, for comparison with refused names: without letter case, compatibility
 * forms, invisible characters, trailing dots and spaces, and NTFS streams; `git~1` is the short name of `.git` on Windows.
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

/** Applies `plainName` to each part of a path. */
export function plainPath(path: string): string {
  return path.split('/').map(plainName).join('/');
}
