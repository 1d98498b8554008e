/** File written by `init`, with its path in the new folder. */
export interface StarterFile {
  readonly file: string;
  readonly text: string;
}
