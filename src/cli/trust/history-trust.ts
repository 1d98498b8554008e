import { CadreError } from '../../core/error.ts';
import type { Journal, RunSummary } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { isNamedFolder, trustVariable } from './named-folders.ts';
import type { RunPlaces } from './run-folders.ts';
import { historyText } from './history-texts.ts';

/** Journal file that tells the runs that this machine recorded from others. */
export interface SignedJournal {
  /** `own`: recorded here; `adopted`: recorded by others until its user agreed to it; undefined: recorded or changed by others. */
  originOf(runId: RunId): 'own' | 'adopted' | undefined;
  adopt(runId: RunId): void | Promise<void>;
}

/** Settings of a `HistoryTrust`. */
export interface HistoryTrustOptions {
  /** Path of the journal; undefined for one in memory or on a server. */
  readonly store: string | undefined;
  /** True when the user agrees on the command line (`--trust`). */
  readonly isAgreed: boolean;
  /** Asks the user; true when they agree. Absent when no user can be asked. */
  readonly ask?: ((text: string) => Promise<boolean>) | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Decides whether runs of a journal may continue. A journal comes with a folder like any file, and a run in it says what agents do next
 * with this machine's keys: a run that this machine's command line did not record continues only once its user agreed to the journal.
 *
 * 1. Reading a run needs no agreement; cancelling, renaming and erasing it neither.
 * 2. Runs of bundled teams are no exception: their profiles are known, and what was said to them is not.
 * 3. An agreement covers the runs of the journal as they are then: they are signed like own ones, and a later change of theirs is found.
 */
export class HistoryTrust {
  readonly #options: HistoryTrustOptions;
  readonly #agreed = new Set<RunId>();
  #journal: (Journal & SignedJournal) | undefined;

  constructor(options: HistoryTrustOptions) {
    this.#options = options;
  }

  /** Sets the open journal; one without signatures, such as on a server, is trusted by its name. */
  use(journal: (Journal & Partial<SignedJournal>) | undefined): void {
    this.#journal = journal !== undefined && isSignedJournal(journal) ? journal : undefined;
  }

  /** Checks a run that the command continues, asking when this machine did not record it. Fails with FOLDER_UNTRUSTED. */
  async check(runId: RunId): Promise<void> {
    const journal = this.#journal;
    if (journal === undefined || this.#isKnown(journal, runId)) return;
    const { ask, isAgreed } = this.#options;
    if (!isAgreed && ask === undefined) throw await this.#refusal(journal, runId);
    if (!isAgreed && !(await this.#ask(journal, runId))) throw await this.#refusal(journal, runId);
    await this.#agree(journal);
  }

  /** Asks about the journal when runs at work in it are not this machine's. Without consent they stay as they are. */
  async offer(): Promise<void> {
    const journal = this.#journal;
    if (journal === undefined) return;
    const { ask, isAgreed } = this.#options;
    if (!isAgreed && ask === undefined) return;
    if ((await this.#foreignRuns(journal, 'at work')).length === 0) return;
    if (isAgreed || (await this.#ask(journal))) await this.#agree(journal);
  }

  /** Checks a run that continues during the work, without asking. A fork that is being made is judged by the run it is made from. */
  async checkLater({ runId, parentRun }: Pick<RunContext['meta'], 'runId' | 'parentRun'>): Promise<void> {
    const journal = this.#journal;
    if (journal === undefined || this.#isKnown(journal, runId)) return;
    const isNew = (await journal.runs({ runId })).length === 0;
    if (isNew && parentRun !== undefined && this.#isKnown(journal, parentRun.runId)) return;
    throw await this.#refusal(journal, isNew && parentRun !== undefined ? parentRun.runId : runId);
  }

  /**
   * True for a run that others recorded, also after its user agreed to it, and for a fork of one that is being made. Its profiles were not
   * agreed to when it began.
   */
  readonly isOfOthers = async ({ runId: id, parentRun }: Pick<RunPlaces, 'runId' | 'parentRun'>): Promise<boolean> => {
    const journal = this.#journal;
    const runId = id as RunId;
    if (journal === undefined || journal.originOf(runId) === 'own') return false;
    const isNew = (await journal.runs({ runId })).length === 0;
    return !(isNew && (parentRun === undefined || journal.originOf(parentRun.runId) === 'own'));
  };

  #isKnown(journal: SignedJournal, runId: RunId): boolean {
    const { store = '', env = process.env } = this.#options;
    return this.#agreed.has(runId) || isNamedFolder(store, env[trustVariable] ?? '') || journal.originOf(runId) !== undefined;
  }

  /** Finds runs that this machine did not record. Those that wait for a message are not at work. */
  async #foreignRuns(journal: Journal & SignedJournal, which: 'all' | 'at work'): Promise<readonly RunSummary[]> {
    const runs = await journal.runs(which === 'all' ? {} : { isOpen: true });
    return runs.filter(
      ({ runId, isImported, status }) =>
        isImported !== true && (which === 'all' || status !== 'idle') && !this.#isKnown(journal, runId),
    );
  }

  async #ask(journal: Journal & SignedJournal, runId?: RunId): Promise<boolean> {
    const words = await historyText(journal, await this.#foreignRuns(journal, 'all'), runId);
    const question = `${words}\nMay they continue on this machine, with your permissions and keys? [y/N] `;
    return (await this.#options.ask?.(question)) === true;
  }

  async #agree(journal: Journal & SignedJournal): Promise<void> {
    for (const { runId } of await this.#foreignRuns(journal, 'all')) {
      await journal.adopt(runId);
      this.#agreed.add(runId);
    }
  }

  async #refusal(journal: Journal & SignedJournal, runId: RunId): Promise<CadreError> {
    const words = await historyText(journal, await journal.runs({ runId }), runId);
    return new CadreError(
      'FOLDER_UNTRUSTED',
      `${words}\nReview what was said in it; if it may continue with your permissions and keys, use --trust with a command that has it, or name the folder of the journal in ${trustVariable}.`,
      { details: { place: journal.location, runId } },
    );
  }
}

function isSignedJournal(journal: Journal & Partial<SignedJournal>): journal is Journal & SignedJournal {
  return journal.originOf !== undefined && journal.adopt !== undefined;
}
