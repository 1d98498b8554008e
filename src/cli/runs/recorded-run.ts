import { createContentHash } from '../../engine/recovery/content-hash.ts';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { ContentHash } from '../../core/ids.ts';
import { type Journal, requiredTexts, type RunSummary, storedText } from '../../core/events/journal.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EventAt } from '../../inspect/why/cause-chain.ts';
import { fromPlainFacts, type ProfileFacts } from '../../inspect/turn/profile-facts.ts';
import { otherTurns, turnOfId } from '../../inspect/turn/other-turns.ts';
import { toTurnRecord, type TurnRecord } from '../../inspect/turn/turn-record.ts';
import { why, type WhyAnswer, whyAt, type WhyOptions } from '../../inspect/why/why.ts';
import type { WhyPlace } from '../../inspect/why/why-place.ts';
import { findRunIn } from './find-run.ts';
import { findTurn } from './find-turn.ts';
import { openJournal } from '../options/open-journal.ts';
import { isServerStore } from '../options/server-store.ts';
import { workspaceBeside } from '../../engine/launch/workspaces.ts';
import { checkStorePlace, storePath } from '../options/store-path.ts';
import { thisCommand } from '../options/this-command.ts';
import { readJson } from '../../core/read-json.ts';

const contentHash = createContentHash();

/**
 * Run read from its journal without an engine: needs no models, tools or profiles folder, and works while another process advances
 * the run.
 */
export class RecordedRun implements Disposable {
  readonly state: RunContext;
  readonly events: readonly CadreEvent[];
  /** Path or URL of the journal. */
  readonly store: string;
  readonly #journal: Journal;
  readonly #causeOf: WhyOptions['causeOf'];
  #profiles: Promise<ReadonlyMap<string, ProfileFacts>> | undefined;

  /** `eventAt` and `causeOf` find events and causes when `events` is incomplete; answers then name only the ends of long chains. */
  constructor(parts: {
    readonly state: RunContext;
    readonly events: readonly CadreEvent[];
    readonly journal: Journal;
    readonly eventAt?: EventAt;
    readonly causeOf?: WhyOptions['causeOf'];
  }) {
    this.state = parts.state;
    this.events = parts.events;
    this.store = parts.journal.location;
    this.#journal = parts.journal;
    this.content = requiredTexts((hash) => storedText(parts.journal, hash), parts.journal.location);
    this.#causeOf = parts.causeOf;
    this.eventAt = parts.eventAt ?? ((seq) => this.events[seq - 1]);
  }

  /** Finds an event of the run by its sequence number. */
  readonly eventAt: EventAt;

  /** Returns a text of the content store. Throws STORE_CORRUPT when it is missing. */
  readonly content: (hash: ContentHash) => string;

  /** Returns the folder that the run's tools work in, by default; it need not exist. */
  readonly workspace = (): string => this.state.meta.workspace ?? workspaceBeside(this.store, this.state.meta.runId);

  /** Profile files the run was started with; empty when the snapshot is damaged. */
  get files(): readonly ProfileFile[] {
    return parseFiles(this.content(this.state.meta.profiles));
  }

  /** Returns facts about the run's profiles for views; empty when this version no longer compiles them (views then lack file places). */
  profiles(): Promise<ReadonlyMap<string, ProfileFacts>> {
    return (this.#profiles ??= this.#facts());
  }

  /** Returns the record of the turn that a command-line argument refers to. */
  async turn(reference: string): Promise<TurnRecord> {
    const turn = turnOfId(
      this.state,
      findTurn(this.state, reference, () => otherTurns(this.state)),
    );
    if (turn === undefined) throw new CadreError('OPTION_INVALID', `run ${this.state.meta.runId} has no turn '${reference}'`);
    return toTurnRecord(this.state, turn, this.content, await this.profiles(), contentHash);
  }

  /** Returns the provenance of a text of a turn. */
  async why(turnId: string, text: string): Promise<readonly WhyAnswer[]> {
    return why(this.state, turnId, text, await this.#whyOptions());
  }

  /** Returns the provenance of the text at a place of a turn. */
  async whyAt(turnId: string, place: WhyPlace): Promise<WhyAnswer | undefined> {
    return whyAt(this.state, turnId, place, await this.#whyOptions());
  }

  async #whyOptions(): Promise<WhyOptions> {
    const profiles = await this.profiles();
    return { content: this.content, eventAt: this.eventAt, causeOf: this.#causeOf, profiles };
  }

  [Symbol.dispose](): void {
    // A file closes synchronously; connections to a server end before the process does.
    void this.#journal.close();
  }

  async #facts(): Promise<ReadonlyMap<string, ProfileFacts>> {
    const { factsOfRun } = await import('../../engine/recovery/facts-of-run.ts');
    return new Map(Object.entries(await factsOfRun(this)).map(([name, plain]) => [name, fromPlainFacts(plain)]));
  }
}

/** Opens a journal read-only; a missing file is an error and is never created. */
export async function openRecords(store: string | undefined): Promise<Journal> {
  if (isServerStore(store)) return await openJournal(store, { readOnly: true });
  await checkStorePlace(store);
  const file = storePath(store);
  const { existsSync } = await import('node:fs');
  if (!existsSync(file)) {
    throw new CadreError(
      'OPTION_INVALID',
      `there is no journal at ${path.relative('', file) || file}; start a run with: ${thisCommand(['run'])} "…", or name another journal with --store PATH`,
    );
  }
  return await openJournal(store, { readOnly: true });
}

/** Opens the run that a command-line argument refers to, for reading. */
export async function openRecordedRun(store: string | undefined, reference: string): Promise<RecordedRun> {
  const journal = await openRecords(store);
  try {
    const summary: RunSummary = await findRunIn(journal, reference);
    const events = await journal.read(summary.runId);
    const state = foldEvents(events, 'everything');
    if (state === undefined)
      throw new CadreError('STORE_CORRUPT', `run ${summary.runId} in ${journal.location} does not begin with run.start`);
    return new RecordedRun({ state, events, journal });
  } catch (error) {
    await journal.close();
    throw error;
  }
}

function parseFiles(snapshot: string): readonly ProfileFile[] {
  try {
    const files: unknown = readJson(snapshot);
    return Array.isArray(files) ? files.filter(isProfileFile) : [];
  } catch {
    // Reading the run needs no snapshot; code that does reports the damage.
    return [];
  }
}

function isProfileFile(value: unknown): value is ProfileFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    typeof value.path === 'string' &&
    'text' in value &&
    typeof value.text === 'string'
  );
}
