import type { StarterFile } from '../starter-file.ts';

/** A kind of project that `cadre init` writes. */
export interface Template {
  readonly name: string;
  /** What it is for, in one line. */
  readonly description: string;
  /** All files but the schemas. */
  readonly files: readonly StarterFile[];
  /** Arguments of `cadre` that show what the team does, the first of them a run. */
  readonly next: readonly (readonly string[])[];
}
