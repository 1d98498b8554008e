import type { ModelDelta } from './model.ts';
import type { Secrets } from './secrets.ts';

/**
 * Rids the pieces of a reply of secrets while it streams. What may be the beginning of a secret is held back until the next
 * piece says whether it is one, so that a secret that is cut into pieces is found all the same.
 */
export class SecretStream {
  readonly #secrets: Secrets;
  readonly #emit: (delta: ModelDelta) => void;
  /** The latest piece, with the text that was held back of it. */
  #held: ModelDelta | undefined;

  constructor(secrets: Secrets, emit: (delta: ModelDelta) => void) {
    this.#secrets = secrets;
    this.#emit = emit;
  }

  readonly push = (delta: ModelDelta): void => {
    const held = this.#held;
    if (held !== undefined && !isSameText(held, delta)) this.end();
    const text = (this.#held?.text ?? '') + delta.text;
    const cut = this.#safeEnd(text);
    this.#held = cut === text.length ? undefined : { ...delta, text: text.slice(cut) };
    if (cut > 0 || delta.text === '') this.#emit({ ...delta, text: this.#secrets.text(text.slice(0, cut)) });
  };

  /** Hands on what is held back: nothing comes after it. */
  end(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#emit({ ...held, text: this.#secrets.text(held.text) });
  }

  /** Up to where a text can be handed on: not into what may go on to be a secret, nor into one that is whole. */
  #safeEnd(text: string): number {
    const longest = (this.#secrets.forms[0]?.length ?? 1) - 1;
    let end = text.length;
    for (let begin = Math.max(0, text.length - longest); begin < text.length; begin++) {
      const tail = text.slice(begin);
      if (!this.#secrets.forms.some((form) => form.length > tail.length && form.startsWith(tail))) continue;
      end = begin;
      break;
    }
    for (const [from, to] of this.#secrets.find(text)) if (from < end && to > end) end = from;
    return end;
  }
}

function isSameText(a: ModelDelta, b: ModelDelta): boolean {
  return a.attempt === b.attempt && a.kind === b.kind && a.callId === b.callId;
}
