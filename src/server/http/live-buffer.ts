import type { AgentId, CallId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import { toFrame } from './event-frames.ts';

/** A piece of a reply, as `event: delta` has it. */
export interface LiveDelta {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly delta: ModelDelta;
}

/** How far a tool says it is, as `event: progress` has it. */
export interface LiveProgress {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly fraction: number;
  readonly note: string;
}

type Kept = { readonly after: number } &
  /** `told` are characters that the run keeps anyway: they do not count. */
  (
    | { readonly kind: 'delta'; live: LiveDelta; readonly pieces: string[]; readonly told?: true }
    | { readonly kind: 'progress'; live: LiveProgress }
  );

/** What waits for a slow reader at most: entries, and bytes of them (FAULTS E14, N13). */
const maxEntries = 1_000;
const maxBytes = 1_000_000;
/** About what an entry takes besides its text. */
const entryBytes = 200;

/**
 * What is live only and waits until its reader has room: pieces of replies and progress of tools.
 *
 * 1. Each stands behind the journal event that was the newest when it came, and is handed out when that one was.
 * 2. Pieces of one reply that come one after the other become one; of a tool's progress the newest stays.
 * 3. Its size is bounded: when it is full everything goes, and the reader is told once that something is missing. Until then no
 *    more pieces are kept: they would have no beginning. What replies have said so far is put in again then (`retell`).
 */
export class LiveBuffer {
  #kept: Kept[] = [];
  /** The latest piece of each turn, to which the next may be added, and the latest progress of each call. */
  readonly #latest = new Map<string, Kept>();
  #bytes = 0;
  #hasLost = false;

  /** The sequence number after which the next entry belongs; undefined when there is none. */
  get nextAfter(): number | undefined {
    return this.#hasLost ? 0 : this.#kept[0]?.after;
  }

  /** Pieces went, and the reader was not told yet. */
  get hasLost(): boolean {
    return this.#hasLost;
  }

  /** Puts in what a reply has said so far. It is text that the run keeps, so its size does not count. */
  retell(after: number, live: LiveDelta): void {
    const kept: Kept = { after, kind: 'delta', live, pieces: [live.delta.text], told: true };
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

  /** Takes out the messages of all entries that belong behind an event the reader has. */
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

  /** Lets go of everything; the reader is told. */
  lose(): void {
    this.#kept = [];
    this.#latest.clear();
    this.#bytes = 0;
    this.#hasLost = true;
  }
}

/** Whether a piece goes on where another one stopped. */
function continues(before: ModelDelta, delta: ModelDelta): boolean {
  return before.kind === delta.kind && before.attempt === delta.attempt && before.callId === delta.callId;
}

function sizeOf(kept: Kept): number {
  const texts = kept.kind === 'progress' ? [kept.live.note] : kept.told === true ? kept.pieces.slice(1) : kept.pieces;
  return texts.reduce((sum, text) => sum + sizeOfPiece(text), entryBytes);
}

/** About what a text takes in memory, in bytes. */
function sizeOfPiece(text: string): number {
  return text.length * 2 + 32;
}

function frameOf(kept: Kept): string {
  if (kept.kind === 'progress') return toFrame({ event: 'progress', data: kept.live });
  const { live, pieces } = kept;
  return toFrame({ event: 'delta', data: { ...live, delta: { ...live.delta, text: pieces.join('') } } });
}
