import { setImmediate } from 'node:timers/promises';
import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { applyEvent, startRun } from '../../core/fold/apply-event.ts';
import type { ContentHash, RunId } from '../../core/ids.ts';
import { type JournalReader, requiredTexts, storedText } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EventAt } from '../../inspect/why/cause-chain.ts';
import { factsOfRun } from '../../engine/recovery/facts-of-run.ts';
import type { PlainProfileFacts } from '../../inspect/turn/profile-facts.ts';
import { withoutSeed } from '../../inspect/bundle.ts';
import { type ReadContent, readList } from '../../inspect/read-content.ts';

/** Number of events read at a time; other work of this process runs in between. */
const pageSize = 1_000;

/** A run read from its journal, whichever process advances it. Each update reads only the new events, so frequent requests are cheap. */
export class RunRecord {
  readonly runId: RunId;
  readonly #journal: JournalReader;
  readonly #events: CadreEvent[] = [];
  readonly #texts: ReferredTexts;
  #state: RunContext | undefined;
  #reading: Promise<void> | undefined;
  #profiles: { readonly of: ContentHash; readonly facts: Promise<Readonly<Record<string, PlainProfileFacts>>> } | undefined;

  constructor(runId: RunId, journal: JournalReader) {
    this.runId = runId;
    this.#journal = journal;
    const stored: ReadContent = (hash) => storedText(journal, hash);
    this.content = requiredTexts(stored, journal.location);
    // The page asks for single texts, and shows which one is missing.
    this.#texts = new ReferredTexts(stored);
  }

  /** All events read so far. */
  get events(): readonly CadreEvent[] {
    return this.#events;
  }

  /** Finds an event by its sequence number. */
  readonly eventAt: EventAt = (seq) => this.#events[seq - 1];

  /** Returns a stored text. Throws STORE_CORRUPT when it is missing. */
  readonly content: (hash: ContentHash) => string;

  /** Full state of the run, as of the last update. */
  get state(): RunContext {
    if (this.#state !== undefined) return this.#state;
    throw new CadreError('STORE_CORRUPT', `run ${this.runId} does not begin with run.start`);
  }

  /** Reads new events from the journal; fails with RUN_UNKNOWN when there is no such run. Concurrent callers share one read. */
  async update(): Promise<this> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
    return this;
  }

  /** Returns texts by hash; null where this run refers to no such text. */
  texts(hashes: readonly string[]): Readonly<Record<string, string | null>> {
    this.#texts.scan(this.#events);
    const text = (hash: string): string | null =>
      this.#texts.has(hash) ? (storedText(this.#journal, hash as ContentHash) ?? null) : null;
    return Object.fromEntries(hashes.map((hash) => [hash, text(hash)]));
  }

  /** Returns what views need of the run's own profiles, by name; empty when this version no longer compiles them. */
  async profiles(): Promise<Readonly<Record<string, PlainProfileFacts>>> {
    const of = this.state.meta.profiles;
    if (this.#profiles?.of !== of) this.#profiles = { of, facts: factsOfRun(this) };
    return await this.#profiles.facts;
  }

  async #read(): Promise<void> {
    for (;;) {
      const page = await this.#journal.read(this.runId, { after: this.#events.length, limit: pageSize });
      for (const event of page) this.#add(event);
      if (page.length < pageSize) return;
      await setImmediate();
    }
  }

  #add(event: CadreEvent): void {
    if (this.#state !== undefined) applyEvent(this.#state, event);
    else if (event.type === 'run.start') this.#state = startRun(event, 'everything');
    else throw new CadreError('STORE_CORRUPT', `run ${this.runId} does not begin with run.start`);
    this.#events.push(withoutSeed(event));
  }
}

/** Shape of a content hash: 132 bits in base64url. */
const hashShape = /^[\w-]{22}$/;

/** Set of stored texts a run refers to: those named by its events, and those named by the lists of its system prompts. */
class ReferredTexts {
  readonly #content: ReadContent;
  readonly #named = new Set<string>();
  /** Stored lists of segments that have not been read yet. */
  readonly #lists = new Set<string>();
  readonly #read = new Set<string>();
  #scanned = 0;

  constructor(content: ReadContent) {
    this.#content = content;
  }

  /** Scans the events added since the last call. */
  scan(events: readonly CadreEvent[]): void {
    for (; this.#scanned < events.length; this.#scanned++) this.#collect(events[this.#scanned], '');
  }

  has(hash: string): boolean {
    if (this.#named.has(hash)) return true;
    for (const list of this.#lists) {
      this.#lists.delete(list);
      this.#read.add(list);
      this.#collect(readList(this.#content, list as ContentHash), '');
    }
    return this.#named.has(hash);
  }

  #collect(value: unknown, key: string): void {
    if (typeof value === 'string') this.#name(value, key);
    else if (Array.isArray(value)) for (const entry of value) this.#collect(entry, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, entry] of Object.entries(value)) this.#collect(entry, name);
  }

  #name(text: string, key: string): void {
    if (text.length !== 22 || !hashShape.test(text)) return;
    this.#named.add(text);
    if (key === 'system' && !this.#read.has(text)) this.#lists.add(text);
  }
}
