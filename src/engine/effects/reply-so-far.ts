import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';

/** A reply in progress, as far as it has been streamed. */
export interface ReplySoFar {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  /** Pieces of its current attempt, in order; adjacent pieces of one kind are joined, and `n` is that of the last one joined. */
  readonly deltas: readonly ModelDelta[];
}

/** Collects the pieces of one reply. A later attempt replaces the one before. */
export class ReplyPieces {
  #deltas: ModelDelta[] = [];

  get deltas(): readonly ModelDelta[] {
    return [...this.#deltas];
  }

  add(delta: ModelDelta): void {
    const last = this.#deltas.at(-1);
    if (last !== undefined && last.attempt !== delta.attempt) this.#deltas = [];
    if (last?.attempt === delta.attempt && last.kind === delta.kind && last.callId === delta.callId)
      this.#deltas[this.#deltas.length - 1] = { ...delta, text: last.text + delta.text };
    else this.#deltas.push(delta);
  }
}
