import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';

/** A state that is longer is not carried over: a command has put a file into a variable. */
const maxStateBytes = 8 * 1024 * 1024;

/** Longest path that is shown. */
const maxPathBytes = 4096;

/**
 * What a session's next command begins with: a folder that its last command filled. What is in there was written by a
 * command, so it is only ever read by shells, but for the folder's name; links are not followed.
 */
export class ShellSession {
  readonly name: string;
  readonly #folder: string;
  #state: string | undefined;
  #count = 0;

  constructor(name: string, folder: string) {
    this.name = name;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Whether a command has left a state. */
  get hasState(): boolean {
    return this.#state !== undefined;
  }

  /** The folder with the state; while there is none, one that does not exist. */
  get state(): string {
    return this.#state ?? path.join(this.#folder, 'none');
  }

  /** The folder the session is in; undefined before its first command. */
  get cwd(): string | undefined {
    return this.#state === undefined ? undefined : readStart(path.join(this.#state, 'cwd'));
  }

  /** A new folder for the state a command leaves. */
  nextState(): string {
    this.#count += 1;
    const folder = path.join(this.#folder, String(this.#count));
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  /** How many jobs a command left running, by its own account. */
  jobsLeft(folder: string): number {
    return readStart(path.join(folder, 'jobs'))?.match(/^\d+$/gm)?.length ?? 0;
  }

  /** Goes on with the state a command left; false when it left none, and the session stays as it was before that command. */
  adopt(folder: string): boolean {
    const usable = readStart(path.join(folder, 'done')) === 'done' && sizeOf(folder) <= maxStateBytes;
    const useless = usable ? this.#state : folder;
    if (usable) this.#state = folder;
    if (useless !== undefined) rmSync(useless, { recursive: true, force: true });
    return usable;
  }

  /** Forgets everything: the next command begins in the workspace. */
  restart(): void {
    if (this.#state !== undefined) rmSync(this.#state, { recursive: true, force: true });
    this.#state = undefined;
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + lstatSync(path.join(folder, name)).size, 0);
}

/** The beginning of a file a command wrote; undefined when it is no plain file. */
function readStart(file: string): string | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(descriptor).isFile()) return undefined;
      const bytes = Buffer.alloc(maxPathBytes);
      return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, maxPathBytes, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // There is none, or a command has put a link there: either way there is no state to go on with.
    return undefined;
  }
}
