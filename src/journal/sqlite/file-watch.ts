import { statSync } from 'node:fs';
import { CadreError } from '../../core/error.ts';

/**
 * Detects that the file of an open journal was removed or replaced. SQLite continues with the open file, and everything written to
 * it is lost when the last process closes it. The log and its index count as well: once its log is removed, a journal splits in two
 * as soon as another process opens it.
 */
export class FileWatch {
  readonly #file: string;
  readonly #known = new Map<string, string>();
  #gone: CadreError | undefined;

  constructor(file: string) {
    this.#file = file;
    this.look();
  }

  /** Throws STORE_FAILED when the files are not those that were opened; from then on at every call. */
  assertThere(): void {
    this.look();
    this.assertNotGone();
  }

  /** Throws the same error if an earlier look found the files gone. */
  assertNotGone(): void {
    if (this.#gone !== undefined) throw this.#gone;
  }

  /** Looks at the files and remembers the result. */
  look(): void {
    for (const side of ['', '-wal', '-shm']) this.#gone ??= this.#problemOf(side);
  }

  #problemOf(side: string): CadreError | undefined {
    const stat = statSync(`${this.#file}${side}`, { throwIfNoEntry: false, bigint: true });
    const now = stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
    const before = this.#known.get(side);
    if (before === undefined && now !== undefined) this.#known.set(side, now);
    if (before === undefined || before === now) return undefined;
    return new CadreError(
      'STORE_FAILED',
      `${this.#file}${side}: the file was ${now === undefined ? 'removed' : 'replaced'} while it was in use. What runs wrote since then is not in it, and nothing more is written. Put it back, or start again with another one (--store)`,
      { details: { file: this.#file, isGone: true } },
    );
  }
}
