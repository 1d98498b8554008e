import type { RunId } from '../../core/ids.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import type { Engine } from '../../engine/engine.ts';
import { toFrame } from './event-frames.ts';
import type { FrameSource, NextFrames } from './answer-events.ts';
import { type RunRow, toRow } from './run-row.ts';
import { Waiting } from './waiting.ts';

/** Milliseconds between checks of the journal while there are readers, and number of newest runs to check. */
const checkEveryMs = 500;
const newestChecked = 32;
/** Checks that are left out while a journal that tells of changes tells of none: it does not tell of a process that ended. */
const leftOut = 3;
/** Maximum number of rows buffered for a slow reader. */
const maxWaiting = 1_000;

/** Rows that one reader of the list of runs has not been sent yet. */
class ListFeed implements FrameSource {
  readonly waiting = new Waiting();
  readonly #leave: (feed: ListFeed) => void;
  #rows = new Map<RunId, RunRow>();
  #hasLost = false;
  #isOver = false;

  constructor(leave: (feed: ListFeed) => void) {
    this.#leave = leave;
  }

  /** Adds rows, replacing earlier ones of the same runs: a slow reader gets the newest. */
  add(rows: readonly RunRow[]): void {
    for (const row of rows) this.#rows.set(row.runId, row);
    if (this.#rows.size > maxWaiting) {
      this.#rows = new Map();
      this.#hasLost = true;
    }
    this.waiting.wake();
  }

  end(): void {
    this.#isOver = true;
    this.waiting.wake();
  }

  next(): Promise<NextFrames> {
    if (this.#isOver) return Promise.resolve('end');
    const runs = [...this.#rows.values()];
    const lag = this.#hasLost ? toFrame({ event: 'lag', data: {} }) : '';
    this.#rows = new Map();
    this.#hasLost = false;
    const text = lag + (runs.length === 0 ? '' : toFrame({ event: 'runs', data: { runs } }));
    return Promise.resolve(text === '' ? 'wait' : { text });
  }

  close(): void {
    this.#leave(this);
  }
}

/**
 * Watches the list of runs for all readers with one query of the journal, and none without readers. Includes runs that other
 * processes advance.
 */
export class RunListWatch {
  readonly #engine: Engine;
  readonly #feeds = new Set<ListFeed>();
  /** Rows of the runs that may change, as of the last check; undefined before the first. */
  #known: ReadonlyMap<RunId, RunRow> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #checking: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;
  /** Checks left out since the last one. */
  #quiet = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Adds a reader that gets changes from now on; makes the first check if needed, to have something to compare with. */
  async open(): Promise<FrameSource> {
    if (this.#known === undefined) await this.#check();
    const feed = new ListFeed((left) => this.#leave(left));
    this.#feeds.add(feed);
    this.#unwatch ??= this.#engine.records.watch?.(undefined, () => (this.#quiet = leftOut));
    this.#timer ??= setInterval(() => void this.#tick().catch(() => this.#endAll()), checkEveryMs).unref();
    return feed;
  }

  /** The journal cannot be read: readers reconnect and get the error. */
  #endAll(): void {
    for (const feed of this.#feeds) feed.end();
    this.#stop();
  }

  #leave(feed: ListFeed): void {
    this.#feeds.delete(feed);
    if (this.#feeds.size === 0) this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#timer = undefined;
    this.#known = undefined;
  }

  async #tick(): Promise<void> {
    this.#quiet += 1;
    if (this.#unwatch !== undefined && this.#quiet <= leftOut) return;
    this.#quiet = 0;
    await this.#check();
  }

  #check(): Promise<void> {
    this.#checking ??= this.#compare().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #compare(): Promise<void> {
    const before = this.#known;
    const rows = await this.#mayHaveChanged(before);
    this.#known = rows;
    if (before === undefined) return;
    const changed = [...rows.values()].filter((row) => differs(before.get(row.runId), row));
    if (changed.length > 0) for (const feed of this.#feeds) feed.add(changed);
  }

  /** Returns runs that are open, were open at the last check, or are new: no other run changes. */
  async #mayHaveChanged(before: ReadonlyMap<RunId, RunRow> | undefined): Promise<ReadonlyMap<RunId, RunRow>> {
    const found: RunSummary[] = [...(await this.#engine.runs({ isOpen: true }))];
    const newest = await this.#engine.runs({ limit: newestChecked });
    const isFlood = before !== undefined && newest.length === newestChecked && newest.every(({ runId }) => !before.has(runId));
    found.push(...(isFlood ? await this.#engine.runs() : newest));
    const rows = new Map(found.map((summary) => [summary.runId, toRow(this.#engine, summary)]));
    for (const { runId, outcome } of before?.values() ?? []) {
      if (rows.has(runId) || outcome !== undefined) continue;
      for (const summary of await this.#engine.runs({ runId })) rows.set(runId, toRow(this.#engine, summary));
    }
    return rows;
  }
}

function differs(before: RunRow | undefined, now: RunRow): boolean {
  return (
    before === undefined ||
    before.lastSeq !== now.lastSeq ||
    before.status !== now.status ||
    before.isLive !== now.isLive ||
    before.isAbandoned !== now.isAbandoned ||
    before.title !== now.title ||
    before.project !== now.project
  );
}
