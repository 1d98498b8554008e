import type { Engine } from '../../../engine/engine.ts';
import type { Run } from '../../../engine/run.ts';
import type { EvalReport } from '../score/eval-result.ts';

/**
 * Stop of an eval: from then on no run begins.
 *
 * Owns: closing the engine under runs in progress, which leaves them where they are, to go on another time. Does not own: their results.
 */
export class EvalStop {
  readonly #engine: Engine;
  readonly #busy = new Set<Run>();
  #why: EvalReport['stopped'];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Why the eval stopped; undefined while it goes on. */
  get why(): EvalReport['stopped'] {
    return this.#why;
  }

  /** Watches a run while it is driven; the returned function ends that. */
  watch(run: Run): () => void {
    this.#busy.add(run);
    return () => this.#busy.delete(run);
  }

  /** Stops because the budget is used up; runs that are over meanwhile are still checked. */
  overBudget(): void {
    this.#why ??= 'budget';
    const isWorking = [...this.#busy].some(({ state }) => state.outcome === undefined && state.status === 'running');
    if (isWorking) this.#close();
  }

  /** Stops because the user said so. */
  interrupt(): void {
    this.#why ??= 'interrupted';
    this.#close();
  }

  #close(): void {
    // The caller of the eval closes the engine too, waits for that, and gets its error.
    this.#engine.close({ graceMs: 0 }).catch(() => undefined);
  }
}
