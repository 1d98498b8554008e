import type { SandboxPolicy } from './sandbox-policy.ts';

/** Command to run in a sandbox. */
export interface SandboxedCommand {
  readonly argv: readonly string[];
  readonly policy: SandboxPolicy;
  /** Folder that may be read and written, except for auto-run files, files with secrets, and files of the engine. */
  readonly workspace: string;
  /** Further folders that may be read and written, such as a home. */
  readonly writable?: readonly string[];
  /** Further folders that may only be read. */
  readonly readable?: readonly string[];
}

/** Command line that runs a command in a sandbox. */
export interface WrappedCommand {
  readonly argv: readonly [string, ...string[]];
  /** Starts to watch for files that the command plants in its workspace; calls `end` when it must be ended. Call once it runs. */
  watch(end: () => void): void;
  /** Call once no part of the command runs. Returns lines about the files it left that the model must know. */
  release(): Promise<readonly string[]>;
}
