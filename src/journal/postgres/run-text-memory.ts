import type { ContentHash, RunId } from '../../core/ids.ts';
import { CadreError } from '../../core/error.ts';
import { isTextOf } from '../codec/text-address.ts';
import type { Commit } from '../../core/events/journal.ts';
import type { Connections, Row } from './connections.ts';
import { corruptPostgres } from './postgres-failure.ts';
import type { ReadEvents } from './postgres-reader.ts';
import { contentSum, readText } from './stored-text.ts';

/** Most hashes of one query. */
const mostHashes = 1_000;

/** Most hashes of texts that were let go. Beyond that, each unknown text counts as one. */
const mostLetGo = 1_000_000;

/** Services of the texts in memory. */
interface TextParts {
  readonly connections: () => Promise<Connections>;
  readonly schema: string;
  readonly location: string;
  /** Most characters; beyond that, texts of runs that are not held are dropped, those read longest ago first. */
  readonly mostCharacters: number;
}

/** Texts of one run. */
interface RunTexts {
  /** Hashes of the texts up to `loadedTo`, whether they are stored or not. */
  readonly hashes: Set<ContentHash>;
  /** Sequence number up to which all texts are in memory. */
  loadedTo: number;
  characters: number;
  isHeld: boolean;
}

/**
 * Texts of the runs that are held or were read, in memory: `content` answers at once.
 *
 * 1. Reading any part of a run loads the texts of the whole run up to there; later reads only what is new.
 * 2. Texts of held runs stay. Of the others, also those that were held, as many as fit; a text that two runs share is kept once.
 * 3. A text that was let go is never taken for one that does not exist: asking for it is an error until its run is read again.
 * 4. A damaged text is reported when it is asked for, not before.
 */
export class RunTextMemory {
  readonly #parts: TextParts;
  readonly #texts = new Map<ContentHash, string | Error>();
  /** Runs that refer to each text. */
  readonly #users = new Map<ContentHash, number>();
  /** In the order in which they were last read. */
  readonly #runs = new Map<RunId, RunTexts>();
  readonly #letGo = new Set<ContentHash>();
  #hasForgotten = false;
  #characters = 0;

  constructor(parts: TextParts) {
    this.#parts = parts;
  }

  /** Returns a text in memory; undefined when there is none. Throws STORE_CORRUPT when it is damaged, STORE_FAILED when it was let go. */
  text(hash: ContentHash): string | undefined {
    const text = this.#texts.get(hash);
    if (text instanceof Error) throw text;
    if (text === undefined && (this.#letGo.has(hash) || (this.#hasForgotten && !this.#users.has(hash)))) throw this.#gone(hash);
    return text;
  }

  /** Keeps the texts of a run until `release`. */
  hold(runId: RunId): void {
    this.#run(runId).isHeld = true;
  }

  /** Ends `hold`: the texts stay like those of the run that was read last, for views that are still open. */
  release(runId: RunId): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    run.isHeld = false;
    this.#runs.delete(runId);
    this.#runs.set(runId, run);
    this.#dropOldest(runId);
  }

  /** Drops the texts of a run that was erased. */
  erase(runId: RunId): void {
    for (const hash of this.#drop(runId)) this.#letGo.delete(hash);
  }

  /** Drops the texts of a run; returns those that no other run uses. */
  #drop(runId: RunId): readonly ContentHash[] {
    const run = this.#runs.get(runId);
    if (run === undefined) return [];
    const gone: ContentHash[] = [];
    this.#runs.delete(runId);
    this.#characters -= run.characters;
    for (const hash of run.hashes) {
      const users = (this.#users.get(hash) ?? 1) - 1;
      if (users > 0) this.#users.set(hash, users);
      else {
        this.#users.delete(hash);
        if (!this.#texts.delete(hash)) continue;
        this.#noteLetGo(hash);
        gone.push(hash);
      }
    }
    return gone;
  }

  /** Drops everything. */
  clear(): void {
    this.#texts.clear();
    this.#users.clear();
    this.#runs.clear();
    this.#letGo.clear();
    this.#characters = 0;
  }

  /** Loads the texts to which a run refers, up to the last of the rows that were read behind sequence number `after`. */
  async load(runId: RunId, rows: ReadEvents['rows'], after: number): Promise<void> {
    const run = this.#run(runId);
    const isGap = run.loadedTo < Math.min(after, (rows[0]?.firstSeq ?? after + 1) - 1);
    const referring = isGap ? await this.#rowsAfter(runId, run.loadedTo) : rows;
    await this.#add(
      run,
      referring.flatMap(({ refs }) => refs as readonly ContentHash[]),
    );
    run.loadedTo = Math.max(run.loadedTo, referring.at(-1)?.lastSeq ?? 0);
    this.#runs.delete(runId);
    this.#runs.set(runId, run);
    this.#dropOldest(runId);
  }

  /** Adds the texts of a commit that was written here, and loads others that it refers to, such as those of a forked run. */
  async added(commit: Commit, refs: readonly string[]): Promise<void> {
    const run = this.#run(commit.runId);
    for (const { hash, text } of commit.contents) this.#put(run, hash, text);
    await this.#add(run, refs as readonly ContentHash[]);
    if (run.loadedTo === commit.expectedSeq) run.loadedTo += commit.events.length;
  }

  async #add(run: RunTexts, refs: readonly ContentHash[]): Promise<void> {
    const missing: ContentHash[] = [];
    for (const hash of new Set(refs)) {
      if (run.hashes.has(hash)) continue;
      const known = this.#texts.get(hash);
      if (known === undefined) missing.push(hash);
      else this.#put(run, hash, known);
    }
    const { query } = await this.#parts.connections();
    for (let at = 0; at < missing.length; at += mostHashes) {
      const hashes = missing.slice(at, at + mostHashes);
      const rows = await query(
        `SELECT hash, sum, text, raw FROM "${this.#parts.schema}".contents WHERE hash = ANY($1)`,
        [hashes],
        'cadre-texts',
      );
      const found = new Map(rows.map((row) => [String(row['hash']) as ContentHash, this.#checked(row)]));
      for (const hash of hashes) this.#put(run, hash, found.get(hash));
    }
  }

  /** An id that looks like a hash is remembered too, and not looked up again. */
  #put(run: RunTexts, hash: ContentHash, text: string | Error | undefined): void {
    if (!run.hashes.has(hash)) {
      run.hashes.add(hash);
      this.#users.set(hash, (this.#users.get(hash) ?? 0) + 1);
      const characters = typeof text === 'string' ? text.length : 0;
      run.characters += characters;
      this.#characters += characters;
    }
    // A damaged text is replaced by the right one.
    if (text !== undefined && typeof this.#texts.get(hash) !== 'string') this.#texts.set(hash, text);
    this.#letGo.delete(hash);
  }

  #noteLetGo(hash: ContentHash): void {
    if (this.#letGo.size >= mostLetGo) {
      this.#hasForgotten = true;
      this.#letGo.clear();
    }
    this.#letGo.add(hash);
  }

  #gone(hash: ContentHash): CadreError {
    return new CadreError(
      'STORE_FAILED',
      `${this.#parts.location}: text ${hash} is no longer in memory: its run is not held, and textMemory had no room for it; read the run again, for example with engine.open`,
      { details: { location: this.#parts.location, hash, isLetGo: true } },
    );
  }

  #checked(row: Row): string | Error {
    const hash = String(row['hash']) as ContentHash;
    const { text, raw } = row;
    const where = `table ${this.#parts.schema}.contents, row ${hash}`;
    const stored = { text: typeof text === 'string' ? text : null, raw: raw instanceof Buffer ? raw : null };
    if (contentSum(stored) !== row['sum'])
      return corruptPostgres(this.#parts.location, 'the text is not the one that was stored (its checksum differs)', { where });
    const read = readText(stored);
    return isTextOf(hash, read) ? read : corruptPostgres(this.#parts.location, 'the text does not match this hash', { where });
  }

  async #rowsAfter(
    runId: RunId,
    after: number,
  ): Promise<readonly { readonly lastSeq: number; readonly refs: readonly string[] }[]> {
    const { query } = await this.#parts.connections();
    // Most commits of a run refer to the same texts: the same system prompt, the same tools.
    const rows = await query(
      `SELECT refs, max(last_seq) AS last_seq FROM "${this.#parts.schema}".commits WHERE run_id = $1 AND last_seq > $2
       GROUP BY refs ORDER BY last_seq`,
      [runId, after],
    );
    return rows.map(({ last_seq: lastSeq, refs }) => ({
      lastSeq: Number(lastSeq),
      refs: typeof refs === 'string' && refs !== '' ? refs.split(' ') : [],
    }));
  }

  #run(runId: RunId): RunTexts {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const run: RunTexts = { hashes: new Set(), loadedTo: 0, characters: 0, isHeld: false };
    this.#runs.set(runId, run);
    return run;
  }

  #dropOldest(except: RunId): void {
    for (const [runId, run] of this.#runs) {
      if (this.#characters <= this.#parts.mostCharacters) return;
      if (!run.isHeld && runId !== except) this.#drop(runId);
    }
  }
}
