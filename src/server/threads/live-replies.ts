import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import type { Run } from '../../engine/run.ts';

/** A reply so far. */
export interface MergedReply {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
}

/** A subscriber to a run. Called synchronously, in the order things happen. */
export interface LiveReader {
  readonly onEvents?: (events: readonly CadreEvent[]) => void;
  readonly onDelta?: (agentId: AgentId, turnId: TurnId, delta: ModelDelta) => void;
  readonly onHalt?: (error: Error) => void;
}

/**
 * Replies in progress of a run, kept so that a reader that joins in the middle of one gets its beginning. Unsubscribes once the run
 * has settled and there are no readers.
 */
export class LiveReplies {
  readonly #run: Run;
  readonly #readers = new Set<LiveReader>();
  readonly #replies = new Map<AgentId, MergedReply>();
  /** Current turns of agents, as far as their beginning was seen. */
  readonly #turns = new Map<AgentId, TurnId>();
  readonly #unsubscribe: () => void;
  readonly #onLeft: () => void;

  constructor(run: Run, onLeft: () => void) {
    this.#run = run;
    this.#onLeft = onLeft;
    this.#unsubscribe = run.subscribe({
      onEvents: (events) => this.#noteEvents(events),
      onDelta: (agentId, turnId, delta) => this.#noteDelta(agentId, turnId, delta),
      onHalt: (error) => this.#each((reader) => reader.onHalt?.(error)),
    });
    // Replies that began before this subscription.
    for (const { agentId, turnId, deltas } of run.replies) {
      this.#turns.set(agentId, turnId);
      for (const delta of deltas) this.#noteDelta(agentId, turnId, delta);
    }
  }

  /** Replies in progress. */
  get replies(): readonly MergedReply[] {
    return [...this.#replies.values()];
  }

  /** Adds a reader; the returned function removes it. */
  add(reader: LiveReader): () => void {
    this.#readers.add(reader);
    return () => {
      this.#readers.delete(reader);
      void this.#leave();
    };
  }

  async #leave(): Promise<void> {
    if (this.#readers.size > 0) return;
    // A run that cannot continue here has no further news either.
    await this.#run.settled().catch(() => undefined);
    if (this.#readers.size > 0) return;
    this.#unsubscribe();
    this.#onLeft();
  }

  #noteEvents(events: readonly CadreEvent[]): void {
    for (const event of events) {
      if (event.type === 'turn.start') this.#turns.set(event.agentId, event.turnId);
      if (event.type === 'model.end' || event.type === 'turn.end' || event.type === 'agent.end')
        this.#replies.delete(event.agentId);
    }
    this.#each((reader) => reader.onEvents?.(events));
  }

  #noteDelta(agentId: AgentId, turnId: TurnId, delta: ModelDelta): void {
    const known = this.#replies.get(agentId);
    const isContinued = known?.turnId === turnId && known.attempt === delta.attempt;
    // A reply whose beginning was missed is sent once it is in the journal.
    if (!isContinued && delta.n > 1 && this.#turns.get(agentId) !== turnId) return;
    const { text, reasoning } = isContinued ? known : { text: '', reasoning: '' };
    this.#replies.set(agentId, {
      agentId,
      turnId,
      attempt: delta.attempt,
      text: delta.kind === 'text' ? text + delta.text : text,
      reasoning: delta.kind === 'reasoning' ? reasoning + delta.text : reasoning,
    });
    this.#each((reader) => reader.onDelta?.(agentId, turnId, delta));
  }

  #each(notify: (reader: LiveReader) => void): void {
    for (const reader of this.#readers) notify(reader);
  }
}
