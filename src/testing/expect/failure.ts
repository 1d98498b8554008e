import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { JsonValue } from '../../core/json.ts';
import type { PlaceOf, Texts } from '../cases/test-case.ts';
import { withSortedKeys } from '../../tools/stable-json.ts';

/** An expectation that does not hold. */
export interface Failure {
  /** Place of the expectation. */
  readonly at: SourceRef;
  /** One sentence. */
  readonly message: string;
  /** Expected and actual text, to be compared; absent when the message says it all. */
  readonly expected?: string;
  readonly actual?: string;
}

/** Collects the failures of a case; paths lead to the expectations in its file. */
export class Failures {
  readonly all: Failure[] = [];
  readonly #placeOf: PlaceOf;

  constructor(placeOf: PlaceOf) {
    this.#placeOf = placeOf;
  }

  /** Adds a failure at a path below `expect`. */
  add(path: readonly (string | number)[], failure: Omit<Failure, 'at'>): void {
    this.all.push({ at: this.#placeOf(['expect', ...path]), ...failure });
  }

  /** Adds a failure unless both values are equal as JSON. */
  equal(path: readonly (string | number)[], message: string, expected: JsonValue, actual: JsonValue | undefined): void {
    if (textOf(expected) === textOf(actual)) return;
    this.add(path, { message, expected: textOf(expected), actual: actual === undefined ? '(nothing)' : textOf(actual) });
  }

  /** Adds a failure for each text that `whole` does not contain. */
  contains(path: readonly (string | number)[], what: string, texts: Texts | undefined, whole: string): void {
    for (const [index, text] of listOf(texts).entries()) {
      if (whole.includes(text)) continue;
      const at = typeof texts === 'string' ? path : [...path, index];
      this.add(at, { message: `${what} does not contain this text`, expected: text, actual: nearest(text, whole) });
    }
  }
}

/** Returns one text or several as a list. */
export function listOf(texts: Texts | undefined): readonly string[] {
  return texts === undefined ? [] : typeof texts === 'string' ? [texts] : texts;
}

/** Renders a value for comparison: texts as they are, anything else as JSON with sorted keys. */
export function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(withSortedKeys(value), null, 2) ?? '(nothing)';
}

/** Most characters of a text that is shown whole. */
const shortText = 400;

/** Returns the lines of a text that have the most words of another one: what was probably meant. */
export function nearest(text: string, whole: string): string {
  if (whole.length <= shortText) return whole === '' ? '(nothing)' : whole;
  const lines = whole.split('\n');
  const size = text.split('\n').length;
  const words = new Set(wordsOf(text));
  const scores = lines.map((line) => new Set(wordsOf(line).filter((word) => words.has(word))).size);
  let best = { score: 0, at: -1 };
  for (let at = 0; at + size <= lines.length; at += 1) {
    const score = scores.slice(at, at + size).reduce((sum, each) => sum + each, 0);
    if (score > best.score) best = { score, at };
  }
  return best.at < 0 ? '(nothing like it)' : lines.slice(best.at, best.at + size).join('\n');
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
