import { statSync } from 'node:fs';
import { CadreError } from '../../core/error.ts';

/**
 * Notices that the file of an open journal was removed or replaced. SQLite goes on with the one it has open: everything is written, and all of
 * it is lost with the last process that has it open. The log and its index belong to the file: a journal whose log was removed is split in
 * two as soon as another process opens it.
 */
export class FileWatch {
  readonly #file: string;
  readonly #known = new Map<string, string>();
  #gone: CadreError | undefined;

  constructor(file: string) {
    this.#file = file;
    this.look();
  }

  /** Fails with STORE_FAILED when the files are not those that were opened; from then on at every call. */
  assertThere(): void {
    this.look();
    this.assertNotGone();
  }

  /** Fails in the same way when an earlier look found that out. */
  assertNotGone(): void {
    if (this.#gone !== undefined) throw this.#gone;
  }

  /** Looks at the files, and remembers what it found. */
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
