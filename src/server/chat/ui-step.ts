import type { UIMessageChunk } from 'ai';
import type { TurnId } from '../../core/ids.ts';
import { hasSent, type ReplyStep, type SentReply, nothingSent } from '../threads/reply-text.ts';

type PartKind = 'text' | 'reasoning';

/** A step of a message: one turn of the root agent. Keeps what the client was sent in it, to be able to send it again. */
export class UiStep {
  readonly turnId: TurnId;
  /** True once the whole reply is in the journal. */
  hasReply = false;
  #sent: SentReply = nothingSent;
  #open: { readonly kind: PartKind; readonly id: string } | undefined;
  #parts = 0;
  /** Chunks sent besides the reply. A client that resets the step loses them, so they are sent again. */
  readonly #kept: UIMessageChunk[] = [];

  constructor(turnId: TurnId) {
    this.turnId = turnId;
  }

  get sent(): SentReply {
    return this.#sent;
  }

  /** Continues the reply, or starts it over. */
  send({ startsOver, reasoning, text, sent }: ReplyStep): readonly UIMessageChunk[] {
    const chunks: UIMessageChunk[] = startsOver ? this.#startOver() : [];
    this.#sent = sent;
    return [...chunks, ...this.#say('reasoning', reasoning), ...this.#say('text', text)];
  }

  /** Sends chunks that are not part of the reply's text. */
  keep(...chunks: readonly UIMessageChunk[]): readonly UIMessageChunk[] {
    this.#kept.push(...chunks);
    return chunks;
  }

  /** Ends the open part. */
  close(): readonly UIMessageChunk[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }];
  }

  /** Takes back the reply so far. */
  takeBack(): readonly UIMessageChunk[] {
    if (!hasSent(this.#sent)) return this.close();
    const chunks = this.#startOver();
    this.#sent = nothingSent;
    return chunks;
  }

  #startOver(): UIMessageChunk[] {
    this.#open = undefined;
    return [{ type: 'reset-step' }, ...this.#kept];
  }

  #say(kind: PartKind, delta: string): readonly UIMessageChunk[] {
    if (delta === '') return [];
    if (this.#open?.kind === kind) return [{ type: `${kind}-delta`, id: this.#open.id, delta }];
    const closing = this.close();
    this.#parts += 1;
    const id = `${this.turnId}.${this.#parts}`;
    this.#open = { kind, id };
    return [...closing, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }];
  }
}
