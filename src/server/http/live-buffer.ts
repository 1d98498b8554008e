import type { AgentId, CallId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import { toFrame } from './event-frames.ts';

/** Part of a reply, the data of `event: delta`. */
export interface LiveDelta {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly delta: ModelDelta;
}

/** Progress of a tool call, the data of `event: progress`. */
export interface LiveProgress {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly fraction: number;
  readonly note: string;
}

type Kept = { readonly after: number } &
  /** `isReplay` marks text that the run keeps anyway: its size does not count. */
  (
    | { readonly kind: 'delta'; live: LiveDelta; readonly pieces: string[]; readonly isReplay?: true }
    | { readonly kind: 'progress'; live: LiveProgress }
  );

/** Maximum number of entries buffered for a slow reader, and of their bytes (FAULTS E14, N13). */
const maxEntries = 1_000;
const maxBytes = 1_000_000;
/** Approximate size of an entry besides its text, in bytes. */
const entryBytes = 200;

/**
 * Buffer of one reader for live data, which the journal lacks: deltas of replies and progress of tools.
 *
 * 1. Each entry belongs behind the journal event that was the newest when it arrived, and is returned once that event was sent.
 * 2. Consecutive deltas of one reply are merged; of a tool's progress only the newest is kept.
 * 3. The size is bounded. When the buffer is full, all entries are dropped and the reader gets one `lag`. Until then no more deltas
 *    are kept: they would have no beginning. Afterwards `addReplySoFar` adds the replies so far.
 */
export class LiveBuffer {
  #kept: Kept[] = [];
  /** Latest delta of each turn, to which the next may be appended, and latest progress of each call. */
  readonly #latest = new Map<string, Kept>();
  #bytes = 0;
  #hasLost = false;

  /** Sequence number after which the next entry belongs; undefined when the buffer is empty. */
  get nextAfter(): number | undefined {
    return this.#hasLost ? 0 : this.#kept[0]?.after;
  }

  /** True when entries were dropped and the reader has not been sent `lag` yet. */
  get hasLost(): boolean {
    return this.#hasLost;
  }

  /** Adds a reply so far. The run keeps this text anyway, so its size does not count. */
  addReplySoFar(after: number, live: LiveDelta): void {
    const kept: Kept = { after, kind: 'delta', live, pieces: [live.delta.text], isReplay: true };
    this.#kept.push(kept);
    this.#latest.set(live.turnId, kept);
  }

  delta(after: number, live: LiveDelta): void {
    if (this.#hasLost) return;
    const latest = this.#latest.get(live.turnId);
    if (latest?.kind === 'delta' && latest.after === after && continues(latest.live.delta, live.delta)) {
      latest.live = live;
      latest.pieces.push(live.delta.text);
      this.#bytes += sizeOfPiece(live.delta.text);
    } else this.#keep(live.turnId, { after, kind: 'delta', live, pieces: [live.delta.text] });
    this.#bound();
  }

  progress(after: number, live: LiveProgress): void {
    const latest = this.#latest.get(live.callId);
    if (latest?.kind === 'progress' && latest.after === after) {
      this.#bytes += sizeOfPiece(live.note) - sizeOfPiece(latest.live.note);
      latest.live = live;
    } else this.#keep(live.callId, { after, kind: 'progress', live });
    this.#bound();
  }

  /** Removes and encodes all entries that belong behind an event the reader has. */
  take(position: number): string {
    const count = this.#kept.findIndex(({ after }) => after > position);
    const taken = count < 0 ? this.#kept : this.#kept.slice(0, count);
    this.#kept = count < 0 ? [] : this.#kept.slice(count);
    this.#latest.clear();
    this.#bytes = this.#kept.reduce((sum, kept) => sum + sizeOf(kept), 0);
    const lag = this.#hasLost ? toFrame({ event: 'lag', data: {} }) : '';
    this.#hasLost = false;
    return lag + taken.map(frameOf).join('');
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.push(kept);
    this.#latest.set(key, kept);
    this.#bytes += sizeOf(kept);
  }

  #bound(): void {
    if (this.#bytes > maxBytes || this.#kept.length > maxEntries) this.lose();
  }

  /** Drops all entries; the reader will get `lag`. */
  lose(): void {
    this.#kept = [];
    this.#latest.clear();
    this.#bytes = 0;
    this.#hasLost = true;
  }
}

/** True when a delta continues the previous one. */
function continues(before: ModelDelta, delta: ModelDelta): boolean {
  return before.kind === delta.kind && before.attempt === delta.attempt && before.callId === delta.callId;
}

function sizeOf(kept: Kept): number {
  const texts = kept.kind === 'progress' ? [kept.live.note] : kept.isReplay === true ? kept.pieces.slice(1) : kept.pieces;
  return texts.reduce((sum, text) => sum + sizeOfPiece(text), entryBytes);
}

/** Returns the approximate size of a text in memory, in bytes. */
function sizeOfPiece(text: string): number {
  return text.length * 2 + 32;
}

function frameOf(kept: Kept): string {
  if (kept.kind === 'progress') return toFrame({ event: 'progress', data: kept.live });
  const { live, pieces } = kept;
  return toFrame({ event: 'delta', data: { ...live, delta: { ...live.delta, text: pieces.join('') } } });
}
