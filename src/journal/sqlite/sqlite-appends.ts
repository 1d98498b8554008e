import { CadreError } from '../../core/error.ts';
import type { Commit, Lease } from '../../core/events/journal.ts';
import { CommitGroup, type LeasedCommit, type Refusal } from './commit-group.ts';
import type { FileWatch } from './file-watch.ts';
import type { SqliteAppender } from './sqlite-appender.ts';
import { isLocked, toStoreError } from './sqlite-failure.ts';

/** Dependencies and settings of a journal's appends. */
interface AppendsParts {
  readonly file: string;
  readonly appender: SqliteAppender;
  readonly files: FileWatch;
  /** Each commit is sealed after the one before, and written by itself. */
  readonly isSealed: boolean;
  /** Does work once the file is free of locks; `doing` names it in errors. */
  readonly write: <T>(doing: string, work: () => T) => T | Promise<T>;
}

/** Appends to a journal file: commits of many runs in groups, as long as the file is where it was. */
export class SqliteAppends {
  readonly #parts: AppendsParts;
  readonly #group: CommitGroup;

  constructor(parts: AppendsParts) {
    this.#parts = parts;
    this.#group = new CommitGroup({ alone: this.#alone, together: this.#together });
  }

  append(lease: Lease, commit: Commit): void | Promise<void> {
    return this.#parts.isSealed ? this.#alone({ lease, commit }) : this.#group.append({ lease, commit });
  }

  /** Writes what waits for the end of this turn of the event loop. */
  flush(): void {
    this.#group.flush();
  }

  readonly #alone = ({ lease, commit }: LeasedCommit): void | Promise<void> => {
    const { write, appender } = this.#parts;
    return write(doingOf(commit), () => this.#whileThere([commit], () => appender.append(lease, commit)));
  };

  readonly #together = (commits: readonly LeasedCommit[]): readonly Refusal[] | Promise<readonly Refusal[]> => {
    const { write, appender, file } = this.#parts;
    const all = commits.map(({ commit }) => commit);
    const inWords = (refusal: Refusal, index: number): Refusal => {
      const commit = all[index];
      return refusal && commit && { error: toStoreError(refusal.error, file, doingOf(commit)) };
    };
    return write(`appending to ${commits.length} runs`, () =>
      this.#whileThere(all, () => appender.appendAll(commits).map(inWords)),
    );
  };

  /** Commits that need durability are neither written to a lost file nor acknowledged after its loss. */
  #whileThere<T>(commits: readonly Commit[], work: () => T): T {
    const { files } = this.#parts;
    const counts = commits.some(({ sync, expectedSeq }) => sync || expectedSeq === 0);
    if (counts) files.assertThere();
    else files.assertNotGone();
    let done: T;
    try {
      done = work();
    } catch (thrown) {
      // A lost file explains whatever error SQLite or the system reported.
      if (!(thrown instanceof CadreError) && !isLocked(thrown)) files.assertThere();
      throw thrown;
    }
    if (counts) files.assertThere();
    return done;
  }
}

function doingOf({ runId, expectedSeq }: Commit): string {
  return `appending to run ${runId} after seq ${expectedSeq}`;
}
