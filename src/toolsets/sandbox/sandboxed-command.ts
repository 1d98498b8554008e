import type { SandboxPolicy } from './sandbox-policy.ts';

/** A command that is to run in a sandbox. */
export interface SandboxedCommand {
  readonly argv: readonly string[];
  readonly policy: SandboxPolicy;
  /** May be read and written, except for what makes other programs run something, holds secrets, or is the engine's. */
  readonly workspace: string;
  /** Further folders of the caller's that may be read and written: a home of its own. */
  readonly writable?: readonly string[];
  /** Further folders of the caller's that may only be read. */
  readonly readable?: readonly string[];
}

/** A command line that runs a command in a sandbox. */
export interface WrappedCommand {
  readonly argv: readonly [string, ...string[]];
  /** Begins to look what the command plants in its workspace; `end` is called when it must be ended. To be called once it runs. */
  watch(end: () => void): void;
  /** To be called once no part of the command runs any more. Gives what must be said of what it left, in lines. */
  release(): Promise<readonly string[]>;
}
