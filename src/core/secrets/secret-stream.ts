import { beginOfOpenDump, openReadings } from './loose-readings.ts';
import type { ModelDelta } from '../model/model.ts';
import { beginOfOpenEscape, decodeEscapes } from './decode-escapes.ts';
import type { Secrets } from './secrets.ts';

/** Layers of escapes that are read in a stream. */
const layers = 3;
/** Longest text that is held because of them. */
const longestEncoded = 8_192;

/**
 * Removes secrets from the pieces of a reply while it streams. Text that may be the beginning of a secret is held back until
 * the next piece decides, so that a secret split over pieces is found.
 */
export class SecretStream {
  readonly #secrets: Secrets;
  readonly #emit: (delta: ModelDelta) => void;
  /** The latest piece, with its held text. */
  #held: ModelDelta | undefined;
  #last: ModelDelta | undefined;
  /** True when the held or next text starts at the beginning of a line. */
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

  /** Emits the held text at the end of the reply. */
  end(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#release(held);
  }

  #release(delta: ModelDelta): void {
    this.#emit({ ...delta, text: this.#secrets.textFrom(delta.text, this.#beginsLine) });
    if (delta.text !== '') this.#beginsLine = delta.text.endsWith('\n');
  }

  /** Returns the offset up to which a text can be emitted: before any possible beginning of a secret, and not inside a whole one. */
  #safeEnd(text: string): number {
    const { looseForms } = this.#secrets;
    let end = this.#beginOfEncoded(text, layers);
    // Text held because of secrets with separators is emitted once it is longer than their dumps.
    if (looseForms.length > 0 && text.length <= 2048 + 2 * (looseForms[0]?.length ?? 0)) {
      end = Math.min(end, beginOfOpenDump(text, this.#beginsLine));
      for (const { text: word, at, isDump } of openReadings(text, this.#beginsLine)) {
        const begin = this.#secrets.beginOfLooseTail(word);
        if (begin === undefined) continue;
        const place = at[begin] ?? end;
        end = Math.min(end, isDump ? text.lastIndexOf('\n', place) + 1 : place);
      }
    }
    for (const [from, to] of this.#secrets.find(text, this.#beginsLine)) if (from < end && to > end) end = from;
    return end;
  }

  /** Returns the offset of the longest tail that may continue to a secret, plain or under some layers of escapes. */
  #beginOfEncoded(text: string, depth: number): number {
    const end = this.#secrets.beginOfTail(text) ?? text.length;
    if (depth === 0 || text.length > longestEncoded) return end;
    // What looks like the beginning of an escape may also be the end of one, and it may follow another beginning (`&#x6=`).
    const readings = [text];
    let cut = text.length;
    for (
      let open = beginOfOpenEscape(text);
      open < cut && readings.length <= layers;
      open = beginOfOpenEscape(text.slice(0, cut))
    ) {
      cut = open;
      readings.push(text.slice(0, cut));
    }
    const begins = readings.flatMap((read) => [
      this.#secrets.beginOfTail(read) ?? cut,
      ...decodeEscapes(read).map(({ text: decoded, at }) => at[this.#beginOfEncoded(decoded, depth - 1)] ?? cut),
    ]);
    return Math.min(end, cut, ...begins);
  }
}

function isSameText(a: ModelDelta, b: ModelDelta): boolean {
  return a.attempt === b.attempt && a.kind === b.kind && a.callId === b.callId;
}
