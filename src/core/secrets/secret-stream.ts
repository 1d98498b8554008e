import { beginOfOpenDump, openReadings } from './loose-readings.ts';
import type { ModelDelta } from '../model/model.ts';
import type { Secrets } from './secrets.ts';

/**
 * Removes secrets from the pieces of a reply while it streams. What may be the beginning of a secret is held back until the next
 * piece says whether it is one, so that a secret that is cut into pieces is found.
 */
export class SecretStream {
  readonly #secrets: Secrets;
  readonly #emit: (delta: ModelDelta) => void;
  /** The latest piece, with the text that was held back of it. */
  #held: ModelDelta | undefined;
  #last: ModelDelta | undefined;
  /** Whether what is held back, or comes next, begins at the begin of a line. */
  #beginsLine = true;

  constructor(secrets: Secrets, emit: (delta: ModelDelta) => void) {
    this.#secrets = secrets;
    this.#emit = emit;
  }

  readonly push = (delta: ModelDelta): void => {
    const held = this.#held;
    if (held !== undefined && !isSameText(held, delta)) this.end();
    if (this.#last !== undefined && !isSameText(this.#last, delta)) this.#beginsLine = true;
    this.#last = delta;
    const text = (this.#held?.text ?? '') + delta.text;
    const cut = this.#safeEnd(text);
    this.#held = cut === text.length ? undefined : { ...delta, text: text.slice(cut) };
    if (cut > 0 || delta.text === '') this.#release({ ...delta, text: text.slice(0, cut) });
  };

  /** Hands on what is held back: nothing comes after it. */
  end(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#release(held);
  }

  #release(delta: ModelDelta): void {
    this.#emit({ ...delta, text: this.#secrets.textFrom(delta.text, this.#beginsLine) });
    if (delta.text !== '') this.#beginsLine = delta.text.endsWith('\n');
  }

  /** Up to where a text can be handed on: not into what may go on to be a secret, nor into one that is whole. */
  #safeEnd(text: string): number {
    const { forms, looseForms } = this.#secrets;
    let end = beginOfTail(text, forms) ?? text.length;
    // Text that is held back for the sake of secrets with separators in them is let go when it is longer than their dumps are.
    if (looseForms.length > 0 && text.length <= 2048 + 2 * (looseForms[0]?.length ?? 0)) {
      end = Math.min(end, beginOfOpenDump(text, this.#beginsLine));
      for (const { text: word, at, isDump } of openReadings(text, this.#beginsLine)) {
        const begin = beginOfTail(word, looseForms);
        if (begin === undefined) continue;
        const place = at[begin] ?? end;
        end = Math.min(end, isDump ? text.lastIndexOf('\n', place) + 1 : place);
      }
    }
    for (const [from, to] of this.#secrets.find(text, this.#beginsLine)) if (from < end && to > end) end = from;
    return end;
  }
}

/** Where the longest end of a text begins that may go on to be one of the forms, longest first. */
function beginOfTail(text: string, forms: readonly string[]): number | undefined {
  const longest = (forms[0]?.length ?? 1) - 1;
  for (let begin = Math.max(0, text.length - longest); begin < text.length; begin++) {
    const tail = text.slice(begin);
    if (forms.some((form) => form.length > tail.length && form.startsWith(tail))) return begin;
  }
  return undefined;
}

function isSameText(a: ModelDelta, b: ModelDelta): boolean {
  return a.attempt === b.attempt && a.kind === b.kind && a.callId === b.callId;
}
