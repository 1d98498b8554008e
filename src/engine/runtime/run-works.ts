import { CadreError, type ErrorCode, toErrorRecord } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunId } from '../../core/ids.ts';
import type { Applied, Delivery, DueWork, RuntimeHost } from '../../core/runtime.ts';
import { suspendedError } from '../run/run-errors.ts';
import { decodeInput, lookInput } from './wire-input.ts';
import type { RunDecider } from './run-decider.ts';
import { WorkerRun, type WorkerRunParts } from './worker-run.ts';
import { readJson } from '../../core/read-json.ts';

/** Milliseconds for which an effect is offered to workers before a note says that none has what it needs. */
const notedAfterMs = 10_000;

/** Reasons why a run is not the runtime's to advance. */
const isOutOfReach: ReadonlySet<ErrorCode> = new Set(['RUN_LOCKED', 'RUN_UNKNOWN', 'RUN_DELETED', 'RUN_IMPORTED']);

/** Most runs kept in memory; those used longest ago are read again when they are needed. Runs in use are kept in any case. */
const mostRuns = 200;

/** A run that is opened or open. */
interface KeptRun {
  readonly opening: Promise<WorkerRun>;
  /** Set once it is open. */
  open: WorkerRun | undefined;
  /** Works in progress, from before it is open. */
  users: number;
}

/**
 * Applies inputs and runs effects for a runtime, on runs that are kept in memory between two works.
 *
 * 1. One input of a run is decided at a time here; that no other engine decides another one is up to the runtime, and a commit that comes
 *    late fails.
 * 2. An input that was applied is not decided again: what is due by the run's state is returned instead. Whether it was is asked before the
 *    state is read, so that the state has what an attempt that was given up still committed; and again when nothing was written for it.
 * 3. A work that is sent again while it runs here is not run twice.
 */
export class RunWorks implements RuntimeHost {
  readonly #own: WorkerRunParts;
  /** Kept runs, the one used longest ago first. */
  readonly #runs = new Map<RunId, KeptRun>();
  readonly #turns = new Map<RunId, Promise<unknown>>();
  /** When an effect was first refused here for want of a tool or model, by its key. */
  readonly #lacking = new Map<string, number>();
  readonly #warned = new Set<RunId>();
  readonly #performing = new Map<string, Promise<readonly Delivery[]>>();

  #isClosed = false;

  constructor(own: WorkerRunParts) {
    this.#own = own;
  }

  async apply(runId: RunId, delivery: Delivery): Promise<Applied> {
    const isLook = delivery.input['kind'] === lookInput['kind'];
    let wasApplied = false;
    const ask = async (): Promise<void> => {
      wasApplied = !isLook && (await this.#own.shared.hasApplied(runId, delivery.id));
    };
    let isWritten = false;
    const decided = await this.#decideInTurn(runId, ask, async (run, decider) => {
      if (wasApplied) return { works: await decider.goOn() };
      const resumption = run.takeResumption();
      if (delivery.input['kind'] === 'recover') {
        // Otherwise it was not interrupted: what runs for it goes on.
        if (resumption !== undefined) return await applied(run, decider, delivery);
      } else if (resumption !== undefined) await decider.decide(await run.complete(resumption, decider.state));
      if (isLook || delivery.input['kind'] === 'recover') return { works: await decider.goOn() };
      const { seq } = decider.state;
      const answer = await applied(run, decider, delivery);
      isWritten = decider.state.seq > seq && answer.refused === undefined;
      return answer;
    });
    if (isWritten || isLook || wasApplied) return decided;
    // An attempt that was given up may have applied it after the question: then that is why it is refused now, or changes nothing.
    return (await this.#own.shared.hasApplied(runId, delivery.id)) ? await this.apply(runId, delivery) : decided;
  }

  wake(runId: RunId): Promise<Applied> {
    return this.#decideInTurn(runId, undefined, async (_run, decider) => {
      await decider.ring();
      const works = decider.takeWorks();
      // An attempt that was given up may have applied the deadlines: what it made due is lost with its answer.
      return { works: [...works, ...(await decider.goOn())] };
    });
  }

  async perform(runId: RunId, work: DueWork, signal: AbortSignal): Promise<readonly Delivery[]> {
    const running = this.#performing.get(work.key);
    if (running !== undefined) return await running;
    const performing = this.#use(
      runId,
      async (run) => await run.performer(),
      async (performer) => {
        if (this.#isClosed) throw suspendedError(runId);
        return await performer.perform(work, signal);
      },
    )
      .catch((thrown: unknown) => {
        if (thrown instanceof CadreError && isOutOfReach.has(thrown.code)) return [];
        this.#noteLack(runId, work, thrown);
        throw thrown;
      })
      .finally(() => this.#performing.delete(work.key));
    this.#performing.set(work.key, performing);
    return await performing;
  }

  /** Puts on record that an effect has been offered for a while, and no worker has what it needs. */
  #noteLack(runId: RunId, { key }: DueWork, thrown: unknown): void {
    if (!this.#warnOfLack(runId, thrown)) return;
    const now = this.#own.parts.clock.monotonic();
    const since = this.#lacking.get(key) ?? now;
    if (this.#lacking.size > 1_000) this.#lacking.clear();
    this.#lacking.set(key, since);
    if (now - since < notedAfterMs) return;
    const message = `${thrown.message}; no worker has taken it for ${Math.round(notedAfterMs / 1_000)} s. It is offered again until one has it: start a worker that has`;
    this.#own.submit(runId, { kind: 'note', level: 'warning', code: 'WORKER_LACKS', message }, `${key} lacking`);
  }

  /** Warns once of each run that this engine leaves to others for what it lacks; true when it does. */
  #warnOfLack(runId: RunId, thrown: unknown): thrown is CadreError {
    if (!(thrown instanceof CadreError) || thrown.code !== 'WORKER_LACKS') return false;
    if (!this.#warned.has(runId)) process.emitWarning(`${thrown.message}. It is left to other workers`, 'CadreWarning');
    if (this.#warned.size > 1_000) this.#warned.clear();
    this.#warned.add(runId);
    return true;
  }

  /** Leaves all runs: effects in progress get `graceMs` to end. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const runs = await Promise.allSettled([...this.#runs.values()].map(({ opening }) => opening));
    const open = runs.flatMap((run) => (run.status === 'fulfilled' ? [run.value] : []));
    await Promise.all(open.map((run) => run.leave(graceMs)));
    await Promise.allSettled([...this.#performing.values(), ...this.#turns.values()]);
    this.#runs.clear();
    await Promise.allSettled(open.map((run) => run.release(false)));
  }

  /** Decides for a run with the newest state, after all earlier inputs here; `ask` comes before the state is read. */
  async #decideInTurn(
    runId: RunId,
    ask: (() => Promise<void>) | undefined,
    decide: (run: WorkerRun, decider: RunDecider) => Promise<Applied>,
  ): Promise<Applied> {
    const before = this.#turns.get(runId);
    const turn = (async (): Promise<Applied> => {
      await before?.catch(() => undefined);
      await ask?.();
      return await this.#use(
        runId,
        async (run) => await run.decider(),
        async (decider, run) => {
          try {
            const done = await decide(run, decider);
            const { wakeInMs } = decider;
            return wakeInMs === undefined ? done : { ...done, wakeInMs };
          } finally {
            if (decider.hasFailed || decider.state.outcome !== undefined) run.markStale();
          }
        },
      );
    })();
    this.#turns.set(runId, turn);
    try {
      return await turn;
    } catch (thrown) {
      this.#warnOfLack(runId, thrown);
      // Trying again would change nothing.
      if (!(thrown instanceof CadreError) || !isOutOfReach.has(thrown.code)) throw thrown;
      return { refused: { code: thrown.code, message: thrown.message }, works: [] };
    } finally {
      if (this.#turns.get(runId) === turn) this.#turns.delete(runId);
    }
  }

  /** Works on a part of a run, which reads what is new; when that makes the run stale, it is opened again first. */
  async #use<Part, T>(
    runId: RunId,
    newest: (run: WorkerRun) => Promise<Part>,
    work: (part: Part, run: WorkerRun) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const kept = this.#opened(runId);
      kept.users += 1;
      try {
        const run = await kept.opening;
        const part = await newest(run);
        if (!run.isStale) return await work(part, run);
      } finally {
        kept.users -= 1;
        this.#tidy(runId, kept);
      }
    }
  }

  #opened(runId: RunId): KeptRun {
    const kept = this.#runs.get(runId) ?? this.#open(runId);
    this.#runs.delete(runId);
    this.#runs.set(runId, kept);
    return kept;
  }

  #open(runId: RunId): KeptRun {
    const kept: KeptRun = { opening: WorkerRun.open(this.#own, runId), open: undefined, users: 0 };
    kept.opening.then(
      (run) => (kept.open = run),
      () => this.#forget(runId, kept),
    );
    return kept;
  }

  #tidy(runId: RunId, kept: KeptRun): void {
    if (kept.open?.isStale === true) {
      this.#forget(runId, kept);
      if (kept.users === 0) this.#release(runId, kept.open);
    }
    for (const [oldId, old] of this.#runs) {
      if (this.#runs.size <= mostRuns) return;
      if (old.open === undefined || old.users > 0) continue;
      this.#forget(oldId, old);
      this.#release(oldId, old.open);
    }
  }

  /** Lets go of a run that is not used any more; its texts stay when it was opened again. A failing store has nothing to release. */
  #release(runId: RunId, run: WorkerRun): void {
    void run.release(this.#runs.has(runId)).catch(() => undefined);
  }

  #forget(runId: RunId, kept: KeptRun): void {
    if (this.#runs.get(runId) === kept) this.#runs.delete(runId);
  }
}

/** Decides an input; a refusal is an answer, a failed commit is thrown. */
async function applied(run: WorkerRun, decider: RunDecider, { id, input: sent }: Delivery): Promise<Applied> {
  const input = await run.complete(decodeInput(sent), decider.state);
  try {
    await decider.decide(input, id);
  } catch (thrown) {
    if (decider.hasFailed) throw thrown;
    const details = thrown instanceof CadreError ? (readJson(JSON.stringify(thrown.details)) as JsonObject) : {};
    const works = decider.takeWorks();
    // An attempt that was given up may have been refused, too, and applied a deadline: what it made due is lost with its answer.
    return { refused: { ...toErrorRecord(thrown, 'INTERNAL'), details }, works: [...works, ...(await decider.goOn())] };
  } finally {
    if (input.kind === 'profiles') void input.hold.release();
  }
  return { works: decider.takeWorks() };
}
