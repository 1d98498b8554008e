import { CadreError } from '../../core/error.ts';
import type { TestReport, TestsState } from '../../inspect/tests/test-report.ts';
import { profileStamp } from '../../profiles/profile-stamp.ts';
import type { ProfileTests } from '../../server/http/profile-tests.ts';
import { runChild } from '../../toolsets/worker/run-child.ts';

/** Work of the process that runs tests. */
export interface TestJob {
  /** Folder of the profiles. */
  readonly folder: string;
  /** Path of the journal with the runs that tests name; the default one when absent. */
  readonly store: string | undefined;
}

/** Settings of `FolderTests`. */
export interface FolderTestsOptions extends TestJob {
  /** True when the page runs the tests again after a change. */
  readonly isFollowing: boolean;
}

const timeoutMs = 300_000;
const maxMemoryMb = 1_024;
const advice = 'Run fewer at a time, in a terminal: cadre test FILE.';

/**
 * The tests of a folder's profiles, run on request in a process of their own, which has no environment, writes nothing and starts nothing.
 * No model is called, no tool runs, nothing connects; requests at the same time share one run.
 */
export class FolderTests implements ProfileTests, Disposable {
  readonly #options: FolderTestsOptions;
  readonly #aborting = new AbortController();
  #running: Promise<TestReport> | undefined;
  #round = 0;
  #stamp: string | undefined;
  #report: TestReport | undefined;

  constructor(options: FolderTestsOptions) {
    this.#options = options;
  }

  readonly run = async (): Promise<TestReport> => {
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return await this.#running;
  };

  readonly state = async (known: number): Promise<TestsState> => {
    const { folder, isFollowing } = this.#options;
    const isChanged = this.#stamp !== undefined && this.#stamp !== (await profileStamp(folder));
    const state = { isRunning: this.#running !== undefined, round: this.#round, isChanged, isFollowing };
    return this.#report === undefined || known === this.#round ? state : { ...state, report: this.#report };
  };

  [Symbol.dispose](): void {
    this.#aborting.abort(new CadreError('ENGINE_CLOSED', 'the server is closing; run the tests with: cadre test'));
  }

  async #run(): Promise<TestReport> {
    const { folder, store } = this.#options;
    // Taken before files are read: what changes meanwhile needs another run.
    this.#stamp = await profileStamp(folder);
    const file = new URL('./test-worker', import.meta.url);
    const input: TestJob = { folder, store };
    const { signal } = this.#aborting;
    const job = { file, input, timeoutMs, maxMemoryMb, signal, what: 'The run of the tests', advice };
    this.#report = (await runChild(job)) as TestReport;
    this.#round += 1;
    return this.#report;
  }
}
