import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';

/** A reply while it streams, as far as it has come. */
export interface ReplySoFar {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  /** All pieces of its current attempt, in order; neighbours of one kind are joined, and `n` is that of the last one in them. */
  readonly deltas: readonly ModelDelta[];
}

/** Collects the pieces of one reply. A later attempt takes the place of the one before. */
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
