import { createHash } from 'node:crypto';
import { nanoid } from 'nanoid';
import type { LiveChannel, LiveOffer, LiveReading, LiveSource } from '../../core/events/live-channel.ts';
import type { RunId } from '../../core/ids.ts';
import type { Connections } from './connections.ts';
import type { LockSession } from './lock-session.ts';
import { readJson } from '../../core/read-json.ts';

/** Milliseconds between two statements with notifications of one process. */
const pauseMs = 60;
/** Milliseconds between two signs of a reader, and after the last one until a run counts as unread. */
const signMs = 4_000;
const wantedMs = 10_000;
/** Most bytes of a notification's text; the server's limit is 8,000. */
const longestText = 7_500;

/** Services of the live channel. */
interface LiveParts {
  readonly connections: () => Promise<Connections>;
  readonly channel: string;
  readonly session: Pick<LockSession, 'listen' | 'unlisten'>;
}

interface Offer {
  readonly runId: RunId;
  readonly source: LiveSource;
}

interface Reading {
  readonly reader: string;
  readonly receive: (message: string) => void;
}

/**
 * Sign of a reader: the run that it reads, and its name when it asks for replies from their beginning. `?` asks all readers for a sign: it
 * comes from a process that begins to offer live data.
 */
type Sign = readonly [runId: RunId, reader?: string] | '?';

/**
 * Live data of runs between processes, by LISTEN and NOTIFY.
 *
 * 1. Each run has its own channel, which only processes with readers of it listen to.
 * 2. A process that reads runs says so on a channel of the schema, every few seconds and when it is asked; a source sends only while
 *    one said so lately.
 * 3. One statement is under way at a time, and carries what all sources have; while the server is slow or away, sources keep or drop theirs.
 */
export class PostgresLive implements LiveChannel {
  readonly #parts: LiveParts;
  /** Channel of the readers' signs. */
  readonly #signs: string;
  readonly #process = nanoid(8);
  readonly #offers = new Map<RunId, Set<Offer>>();
  readonly #readings = new Map<RunId, Set<Reading>>();
  /** Runs by the channel that carries their data, of those read here. */
  readonly #channels = new Map<string, RunId>();
  /** Until when each run counts as read, by the monotonic clock. */
  readonly #wanted = new Map<RunId, number>();
  readonly #ready = new Set<Offer>();
  #unsaid: Sign[] = [];
  #readers = 0;
  #signTimer: ReturnType<typeof setInterval> | undefined;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;
  #sendTimer: ReturnType<typeof setTimeout> | undefined;
  #isSending = false;
  #isClosed = false;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#signs = `${parts.channel}_live`;
  }

  offer(runId: RunId, source: LiveSource): LiveOffer {
    const offer: Offer = { runId, source };
    this.#offers.set(runId, (this.#offers.get(runId) ?? new Set()).add(offer));
    if (!this.#isClosed) this.#parts.session.listen(this.#signs);
    if (this.#wanted.has(runId)) source.wanted(true);
    return {
      ready: () => {
        if (!this.#wanted.has(runId)) return;
        this.#ready.add(offer);
        this.#sendLater(pauseMs);
      },
      close: () => {
        this.#ready.delete(offer);
        remove(this.#offers, runId, offer);
      },
    };
  }

  read(runId: RunId, receive: (message: string) => void): LiveReading {
    const reading: Reading = { reader: `${this.#process}.${(this.#readers += 1)}`, receive };
    const channel = liveChannelOf(this.#parts.channel, runId);
    const ask = (): void => this.#say([runId, reading.reader]);
    if (this.#isClosed) return { reader: reading.reader, ask, close: () => undefined };
    const isFirst = !this.#readings.has(runId);
    this.#readings.set(runId, (this.#readings.get(runId) ?? new Set()).add(reading));
    this.#channels.set(channel, runId);
    // The first one asks once the process listens.
    if (!isFirst) ask();
    else this.#parts.session.listen(channel);
    this.#parts.session.listen(this.#signs);
    this.#signTimer ??= setInterval(() => this.#say(...[...this.#readings.keys()].map((id): Sign => [id])), signMs).unref();
    return { reader: reading.reader, ask, close: () => this.#leave(runId, reading, channel) };
  }

  /** Takes a notification of a channel; undefined when some may have been missed. */
  receive(channel: string, text: string | undefined): void {
    if (channel === this.#signs) return this.#note(text);
    const runId = this.#channels.get(channel);
    const readings = (runId === undefined ? undefined : this.#readings.get(runId)) ?? [];
    for (const reading of readings)
      if (text !== undefined) reading.receive(text);
      else if (runId !== undefined) this.#say([runId, reading.reader]);
  }

  /** Sends and receives nothing more. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#signTimer);
    clearTimeout(this.#expiryTimer);
    clearTimeout(this.#sendTimer);
    this.#offers.clear();
    this.#readings.clear();
    this.#channels.clear();
    this.#wanted.clear();
    this.#ready.clear();
  }

  #leave(runId: RunId, reading: Reading, channel: string): void {
    remove(this.#readings, runId, reading);
    if (this.#readings.has(runId) || this.#isClosed) return;
    this.#channels.delete(channel);
    this.#parts.session.unlisten(channel);
    if (this.#readings.size > 0) return;
    clearInterval(this.#signTimer);
    this.#signTimer = undefined;
  }

  /** Takes signs of readers. One that was missed is given again. */
  #note(text: string | undefined): void {
    const now = performance.now();
    if (text === undefined && this.#offers.size > 0) this.#say('?');
    for (const sign of readSigns(text)) {
      if (sign === '?') {
        this.#say(...[...this.#readings].flatMap(([runId, all]) => [...all].map(({ reader }): Sign => [runId, reader])));
        continue;
      }
      const [runId, reader] = sign;
      const isNew = !this.#wanted.has(runId);
      this.#wanted.set(runId, now + wantedMs);
      for (const { source } of this.#offers.get(runId) ?? []) {
        if (isNew) source.wanted(true);
        if (reader !== undefined) source.asked(reader);
      }
    }
    if (this.#wanted.size > 0) this.#expiryTimer ??= setTimeout(() => this.#expire(), wantedMs).unref();
  }

  #expire(): void {
    this.#expiryTimer = undefined;
    const now = performance.now();
    for (const [runId, until] of this.#wanted) {
      if (until > now) continue;
      this.#wanted.delete(runId);
      for (const offer of this.#offers.get(runId) ?? []) {
        this.#ready.delete(offer);
        offer.source.wanted(false);
      }
    }
    if (this.#wanted.size > 0) this.#expiryTimer = setTimeout(() => this.#expire(), wantedMs / 4).unref();
  }

  #say(...signs: readonly Sign[]): void {
    if (this.#isClosed) return;
    this.#unsaid.push(...signs);
    this.#sendLater(0);
  }

  #sendLater(ms: number): void {
    if (this.#isClosed || this.#isSending) return;
    if (this.#sendTimer !== undefined && ms > 0) return;
    clearTimeout(this.#sendTimer);
    this.#sendTimer = setTimeout(() => void this.#send(), ms).unref();
  }

  async #send(): Promise<void> {
    this.#sendTimer = undefined;
    this.#isSending = true;
    try {
      const { query } = await this.#parts.connections();
      const notices = this.#take();
      if (notices.length === 0) return;
      await query(
        `SELECT set_config('synchronous_commit', 'off', true), pg_notify(channel, text) FROM unnest($1::text[], $2::text[]) AS notices (channel, text)`,
        [notices.map(([channel]) => channel), notices.map(([, text]) => text)],
        'cadre-live',
      );
    } catch {
      // What was lost is in the journal soon; signs are given again.
      this.#unsaid = [];
    } finally {
      this.#isSending = false;
      if (this.#unsaid.length > 0 || this.#ready.size > 0) this.#sendLater(pauseMs);
    }
  }

  /** Takes what is to be sent, with its channels. */
  #take(): readonly (readonly [channel: string, text: string])[] {
    const signs = writeSigns(this.#unsaid);
    this.#unsaid = [];
    const ready = [...this.#ready];
    this.#ready.clear();
    return [
      ...signs.map((text) => [this.#signs, text] as const),
      ...ready.flatMap(({ runId, source }) =>
        source.take(longestText).map((text) => [liveChannelOf(this.#parts.channel, runId), text] as const),
      ),
    ];
  }
}

/** Returns the channel of a run's live data, by the channel of its schema: a name of at most 63 letters, whatever the id of the run. */
export function liveChannelOf(channel: string, runId: string): string {
  return `cadre_live_${createHash('sha256').update(`${channel} ${runId}`).digest('hex').slice(0, 40)}`;
}

function remove<T>(sets: Map<RunId, Set<T>>, runId: RunId, one: T): void {
  const set = sets.get(runId);
  set?.delete(one);
  if (set?.size === 0) sets.delete(runId);
}

/** Encodes signs as notifications: without repetitions, and few enough in each. */
function writeSigns(signs: readonly Sign[]): readonly string[] {
  const texts: string[] = [];
  let part: string[] = [];
  let length = 2;
  for (const one of new Set(signs.map((sign) => JSON.stringify(sign)))) {
    const bytes = Buffer.byteLength(one) + 1;
    if (bytes > longestText) continue;
    if (length + bytes > longestText) {
      texts.push(`[${part.join(',')}]`);
      part = [];
      length = 2;
    }
    part.push(one);
    length += bytes;
  }
  return part.length === 0 ? texts : [...texts, `[${part.join(',')}]`];
}

/** Decodes signs; none of a notification that is no list of them: everybody who reaches the database can send one. */
function readSigns(text: string | undefined): readonly Sign[] {
  if (text === undefined) return [];
  try {
    const read: unknown = readJson(text);
    return Array.isArray(read) ? read.filter((one) => one === '?' || isSign(one)) : [];
  } catch {
    return [];
  }
}

function isSign(value: unknown): value is readonly [RunId, string?] {
  if (!Array.isArray(value)) return false;
  const [runId, reader]: readonly unknown[] = value;
  return typeof runId === 'string' && (reader === undefined || typeof reader === 'string');
}
