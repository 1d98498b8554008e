/** One file that `init` writes, by its path in the new folder. */
export interface StarterFile {
  readonly file: string;
  readonly text: string;
}
