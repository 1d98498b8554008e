/** Files that one program reads by itself. */
export interface AutoRunReader {
  readonly program: string;
  /** Occasion on which it reads them, as the end of "it reads them …". */
  readonly when: string;
  /** Names of files and folders (with all they hold), or several parts of a path; `*` matches any part of a name. */
  readonly names: readonly string[];
}

/** Makes an entry of the list, of names with a space between them. */
export function reader(program: string, when: string, names: string): AutoRunReader {
  return { program, when, names: names.split(' ') };
}
