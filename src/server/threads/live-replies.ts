import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import type { Run } from '../../engine/run.ts';

/** A reply as far as it has come. */
export interface ReplySoFar {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
}

/** Somebody who follows a run. Called at once, in the order things happen. */
export interface LiveReader {
  readonly onEvents?: (events: readonly CadreEvent[]) => void;
  readonly onDelta?: (agentId: AgentId, turnId: TurnId, delta: ModelDelta) => void;
  readonly onHalt?: (error: Error) => void;
}

/**
 * What a run is saying, kept while it works so that whoever comes in the middle of a reply gets its beginning, too. It lets go of
 * the run once that has settled and nobody reads.
 */
export class LiveReplies {
  readonly #run: Run;
  readonly #readers = new Set<LiveReader>();
  readonly #replies = new Map<AgentId, ReplySoFar>();
  /** The turns that agents are at, as far as their beginning was heard. */
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
    // What was said before it was listened to.
    for (const { agentId, turnId, deltas } of run.replies) {
      this.#turns.set(agentId, turnId);
      for (const delta of deltas) this.#noteDelta(agentId, turnId, delta);
    }
  }

  /** The replies that are under way. */
  get replies(): readonly ReplySoFar[] {
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
    // A run that cannot go on here has nothing more to say either.
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
    const goesOn = known?.turnId === turnId && known.attempt === delta.attempt;
    // A reply whose beginning was not heard is told once it is on record.
    if (!goesOn && delta.n > 1 && this.#turns.get(agentId) !== turnId) return;
    const { text, reasoning } = goesOn ? known : { text: '', reasoning: '' };
    this.#replies.set(agentId, {
      agentId,
      turnId,
      attempt: delta.attempt,
      text: delta.kind === 'text' ? text + delta.text : text,
      reasoning: delta.kind === 'reasoning' ? reasoning + delta.text : reasoning,
    });
    this.#each((reader) => reader.onDelta?.(agentId, turnId, delta));
  }

  #each(tell: (reader: LiveReader) => void): void {
    for (const reader of this.#readers) tell(reader);
  }
}
