import type { ContentHash, RunId } from '../../core/ids.ts';
import type { Lease } from '../../core/events/journal.ts';
import type { RecordedAnswers } from '../launch/recorded-answers.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { createContentCache } from '../recovery/content-cache.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import type { LaunchOptions } from '../launch-options.ts';
import type { HaltedRuns } from '../recovery/halted-runs.ts';
import type { Leases } from '../recovery/leases.ts';
import { Resources } from '../effects/resources.ts';
import { publishLive } from '../live/live-publisher.ts';
import type { RunDriver } from './run-driver.ts';
import { runHandle, type RunHandleParts } from '../run-handle.ts';
import type { Run } from '../run.ts';
import { RunTools } from '../toolsets/run-tools.ts';
import { systemClock } from '../system-clock.ts';
import type { OfferedTools, ToolsetHold } from '../toolsets/toolset-hold.ts';
import { watchExit } from './waiting-at-exit.ts';

/** Profiles of a run, and its hold on their toolsets. */
export interface HeldRuntime {
  readonly runtime: ProfileRuntime;
  readonly hold: ToolsetHold;
  /** Answers of the original that a fork takes. */
  readonly answers?: RecordedAnswers | undefined;
}

/** A run that an engine advances. */
export interface LiveRun {
  readonly run: Run;
  readonly actor: RunDriver;
  /** Tools that its toolsets offered when it started here: its first input records them. */
  readonly taken: readonly OfferedTools[];
  readonly tools: RunTools;
  /** Resolves when the engine has released the run. */
  readonly left: Promise<void>;
}

const noHolder = { owner: '', epoch: -1 };

/**
 * Runs that an engine advances.
 *
 * Owns: how long each run's lease, toolsets and live resources are held. Does not own: the course of a run.
 */
export class LiveRuns {
  readonly #parts: EngineParts;
  readonly #leases: Leases;
  readonly #runs = new Map<RunId, LiveRun>();
  /** Leases of runs that have ended and may still get late results. */
  readonly #ended = new Set<Lease>();
  readonly #content: (hash: ContentHash) => string | undefined;
  readonly #resources = new Resources('this engine');

  readonly #halted: HaltedRuns;
  #leaveExit: (() => void) | undefined;

  constructor(parts: EngineParts, leases: Leases, halted: HaltedRuns) {
    this.#parts = parts;
    this.#halted = halted;
    this.#leases = leases;
    this.#content = createContentCache(parts.journal);
  }

  /** Returns the run of this id, if it is live. */
  get(runId: string): LiveRun | undefined {
    return this.#runs.get(runId as RunId);
  }

  /** Starts a run in this process, until it ends or halts. */
  activate(state: RunContext, lease: Lease, { runtime, hold, answers }: HeldRuntime, options: LaunchOptions): LiveRun {
    const tools = new RunTools(hold.again());
    const { taken } = tools;
    const { actor, run } = this.#handle(state, lease, { runtime, tools, context: options.context, answers });
    if (options.subscriber !== undefined) run.subscribe(options.subscriber);
    const { runId } = state.meta;
    const { remote, journal } = this.#parts;
    // A run that engines elsewhere advance is published there.
    const published = { runId, subscribers: actor.subscribers, seq: () => actor.state.seq };
    const stopPublishing = publishLive(remote === undefined ? journal.live : undefined, published);
    const forget = (): void => {
      stopPublishing();
      this.#runs.delete(runId);
      if (this.#runs.size === 0) this.#ignoreExit();
      void tools.release();
    };
    const left = leaveWhenOver({ run, actor, lease, leases: this.#leases, ended: this.#ended, forget });
    void left.then(() => this.#halted.add(runId, actor.halted, options));
    const live = { run, actor, taken, tools, left };
    this.#runs.set(runId, live);
    // Only real time ends with the process: tests and simulations drive their own clock.
    if (this.#parts.clock === systemClock) this.#leaveExit ??= watchExit(() => [...this.#runs.values()].map((each) => each.run));
    if (options.signal !== undefined) cancelOnAbort(run, options.signal);
    return live;
  }

  /** Subscribes a started run to changes and faults of its toolsets. */
  listen(runId: RunId): void {
    const live = this.get(runId);
    live?.tools.listen(live.actor.tell);
  }

  /** Returns a read-only handle for a run that is not live. */
  handle(state: RunContext, { runtime, hold }: HeldRuntime): Run {
    return this.#handle(state, { runId: state.meta.runId, ...noHolder }, { runtime, tools: new RunTools(hold), context: undefined })
      .run;
  }

  /** Suspends all runs: running tools get `graceMs` to end. */
  async close(graceMs: number): Promise<void> {
    const live = [...this.#runs.values()];
    await Promise.all(live.map(({ actor }) => actor.suspend(graceMs)));
    await this.#leases.settled();
    await this.#parts.unfinished.settled();
    await Promise.all([this.#resources.closeAll(), ...live.map(({ tools }) => tools.release())]);
    this.#runs.clear();
    this.#ignoreExit();
    for (const lease of this.#ended) await this.#leases.giveBack(lease);
    this.#ended.clear();
  }

  #ignoreExit(): void {
    this.#leaveExit?.();
    this.#leaveExit = undefined;
  }

  #handle(
    state: RunContext,
    lease: Lease,
    by: Pick<RunHandleParts, 'runtime' | 'tools' | 'context' | 'answers'>,
  ): Pick<LiveRun, 'run' | 'actor'> {
    return runHandle(this.#parts, { state, lease, ...by, content: this.#content, resources: this.#resources });
  }
}

/** Cancels a run when the signal of its launch is aborted. The signal may outlive the run: no listener stays on it. */
function cancelOnAbort(run: Run, signal: AbortSignal): void {
  // A run that can no longer be cancelled has halted, and its result says why.
  const cancel = (): void => void run.cancel('the launch signal was aborted').catch(() => undefined);
  const forget = (): void => signal.removeEventListener('abort', cancel);
  signal.addEventListener('abort', cancel, { once: true });
  void run.result.then(forget, forget);
  // Aborted while the lease was taken: the cancel waits behind the start.
  if (signal.aborted) queueMicrotask(cancel);
}

/** A live run, and the resources that its engine holds for it. */
interface LeavingParts {
  readonly run: Run;
  readonly actor: RunDriver;
  readonly lease: Lease;
  readonly leases: Leases;
  /** Leases of runs that have ended and may still get late results. */
  readonly ended: Set<Lease>;
  /** Removes the run from the live ones. */
  readonly forget: () => void;
}

/**
 * Releases the resources that an engine holds for a run, once it has ended and no late result can come, or it has halted. Never rejects.
 */
async function leaveWhenOver({ run, actor, lease, leases, ended, forget }: LeavingParts): Promise<void> {
  try {
    await run.result;
  } catch {
    // A halted run cannot go on here: the next process to resume it, or this one, must find its lease free.
    if (actor.halted !== undefined) await leases.giveBack(lease);
    forget();
    return;
  }
  await actor.whenIdle();
  forget();
  // An abandoned tool may still bring a late result, which needs the lease to be recorded.
  ended.add(lease);
  await actor.whenDetachedSettled();
  if (ended.delete(lease)) await leases.giveBack(lease);
}
