import { nanoid } from 'nanoid';
import type { Clock } from '../../core/clock.ts';
import type { SharedJournal } from '../../core/events/journal.ts';
import type { RuntimeLink } from '../../core/runtime.ts';
import type { Unfinished } from '../effects/unfinished.ts';
import { lookInput } from './wire-input.ts';

/** Milliseconds without an event after which a run at work is looked at, and between two such looks. */
const stalledMs = 60_000;

/**
 * Milliseconds for which inputs and marks of an ended run are kept: longer than a runtime delivers one again. After that, an ended run has no
 * work that is due, and refuses messages.
 */
const rememberedMs = 24 * 3_600_000;
/** Looks at the runs between two at those that have ended: an hour. */
const looksPerForgetting = 60;

/** Milliseconds before open runs are looked at again when the store or the runtime was away. */
const againMs = 1_000;

/** Services of the looks at runs. */
interface LookParts {
  readonly clock: Clock;
  readonly shared: SharedJournal;
  /** Name under which the runtime holds its runs. */
  readonly holder: string;
  readonly link: Pick<RuntimeLink, 'send'>;
  readonly unfinished: Unfinished;
}

/**
 * Has runs looked at whose messages may be lost: with the data of a runtime, or with an engine that launched them.
 *
 * 1. Each minute: runs at work without a new event. Also forgets what was applied to runs that ended long ago.
 * 2. After a loss of the runtime's data: all open runs, also those that wait, whose alarms are gone. It tries until each was told.
 * 3. After `stop` nothing begins, and what it writes to the journal is over before the engine has closed.
 */
export class RunLooks {
  readonly #parts: LookParts;
  readonly #cancels = new Set<() => void>();
  #looks = 0;
  #loss: string | undefined;
  #isOver = false;

  constructor(parts: LookParts) {
    this.#parts = parts;
  }

  /** Begins to look each minute. */
  begin(): void {
    this.#later(stalledMs, () => this.#lookAtStalled());
  }

  /** Has all open runs looked at: the runtime lost its data. */
  readonly afterLoss = (): void => {
    if (this.#isOver) return;
    this.#loss = nanoid();
    void this.#lookAtOpen(this.#loss);
  };

  stop(): void {
    this.#isOver = true;
    for (const cancel of this.#cancels) cancel();
  }

  async #lookAtStalled(): Promise<void> {
    const { clock, shared, holder, unfinished } = this.#parts;
    try {
      if (this.#looks % looksPerForgetting === 0) {
        const forgetting = Promise.resolve(shared.forget(clock.now() - rememberedMs));
        unfinished.add('what it forgets of ended runs', forgetting);
        await forgetting;
      }
      this.#looks += 1;
      for (const { runId, lastSeq } of await shared.stalled(holder, clock.now() - stalledMs)) {
        if (this.#isOver) return;
        await this.#parts.link.send(runId, { id: `stalled ${runId} ${lastSeq}`, input: lookInput });
      }
    } catch {
      // The store or the runtime is away: the next look finds the same runs.
    }
    this.#later(stalledMs, () => this.#lookAtStalled());
  }

  /** A runtime that lost its data once more has lost these looks, too: a later loss begins again. */
  async #lookAtOpen(loss: string): Promise<void> {
    const { shared, holder, link } = this.#parts;
    try {
      for (const { runId } of await shared.stalled(holder, Number.MAX_SAFE_INTEGER, { orWaiting: true })) {
        if (this.#isOver || this.#loss !== loss) return;
        await link.send(runId, { id: `lost ${loss} ${runId}`, input: lookInput });
      }
    } catch {
      if (this.#loss === loss) this.#later(againMs, () => this.#lookAtOpen(loss));
    }
  }

  #later(ms: number, look: () => Promise<void>): void {
    if (this.#isOver) return;
    const cancel = this.#parts.clock.setTimer(
      ms,
      () => {
        this.#cancels.delete(cancel);
        void look();
      },
      { background: true },
    );
    this.#cancels.add(cancel);
  }
}
