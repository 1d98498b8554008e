import { signal } from '@preact/signals';
import type { TestReport, TestsState } from '../../src/inspect/tests/test-report.ts';
import { getJson, postJson } from '../data/api.ts';
import { watchView } from '../data/in-view.ts';

/** Milliseconds between two looks at whether files were written. */
const pause = 2_000;

/** The tests of the server's profiles: their last report, and whether they run. Looks for changes while the window is visible. */
export class TestsStore {
  readonly report = signal<TestReport | undefined>(undefined);
  readonly isRunning = signal(false);
  /** True when profiles or tests were written since the last run. */
  readonly isChanged = signal(false);
  /** True where the tests run again after a change. */
  readonly isFollowing = signal(false);
  /** True once the server has answered. */
  readonly isKnown = signal(false);
  readonly problem = signal<string | undefined>(undefined);
  #round = 0;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #stopWatching: () => void;

  constructor() {
    this.#stopWatching = watchView({ shown: () => void this.#look(), away: () => clearTimeout(this.#timer) });
    void this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    clearTimeout(this.#timer);
  }

  /** Runs the tests. */
  async run(): Promise<void> {
    if (this.isRunning.peek()) return;
    this.isRunning.value = true;
    try {
      this.report.value = await postJson<TestReport>('/api/tests', {});
      this.problem.value = undefined;
    } catch (thrown) {
      this.problem.value = thrown instanceof Error ? thrown.message : String(thrown);
    }
    this.isRunning.value = false;
    await this.#look();
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    try {
      const { report, round, isChanged, isFollowing } = await getJson<TestsState>(`/api/tests?round=${this.#round}`);
      this.#round = round;
      if (report !== undefined) this.report.value = report;
      this.isChanged.value = isChanged;
      this.isFollowing.value = isFollowing;
      // A report is an answer to a problem of the request before it.
      if (!this.isKnown.peek()) this.problem.value = undefined;
      this.isKnown.value = true;
      // One run after each change, also when it fails: the next change begins another.
      if (isChanged && isFollowing && !document.hidden && !this.isRunning.peek()) {
        void this.run();
        return;
      }
    } catch (thrown) {
      this.problem.value = thrown instanceof Error ? thrown.message : String(thrown);
      this.isKnown.value = false;
    }
    clearTimeout(this.#timer);
    if (!this.#isClosed && !document.hidden) this.#timer = setTimeout(() => void this.#look(), pause);
  }
}
