import { decodeEscapes } from './decode-escapes.ts';
import { decodeRuns } from './decode-runs.ts';
import type { Decoding } from './decoded.ts';
import { looseReadings, type Reading } from './loose-readings.ts';
import { toLooseText, type Ranges } from './loose-text.ts';
import { compileSecretFilter, looseForms, secretForms, withoutSeparators, type SecretFilter } from './secret-forms.ts';

/** Shortest secret: shorter values would redact ordinary words. */
export const shortestSecret = 4;

/** Secrets, prepared for finding them. */
export interface CompiledSecrets {
  readonly values: readonly string[];
  readonly forms: readonly string[];
  readonly pattern: RegExp;
  /** False for a text that surely holds none of the forms, loose ones included. */
  readonly mayHold: SecretFilter;
  readonly looseForms: readonly string[];
  readonly loosePattern: RegExp | undefined;
  /** Length of the shortest loose form. */
  readonly shortestLoose: number;
  readonly tails: Tails;
  readonly looseTails: Tails;
}

/** Prepares values for finding them. */
export function compileSecrets(values: readonly string[]): CompiledSecrets {
  const forms = longestFirst(values.flatMap(secretForms));
  const loose = longestFirst(values.flatMap(looseForms));
  const patternOf = (words: readonly string[]): RegExp => new RegExp(words.map((word) => RegExp.escape(word)).join('|'), 'g');
  return {
    values,
    forms,
    pattern: patternOf(forms),
    mayHold: compileSecretFilter([...new Set([...forms.flatMap(withoutSeparators), ...loose])]),
    looseForms: loose,
    loosePattern: loose.length === 0 ? undefined : patternOf(loose),
    shortestLoose: loose.at(-1)?.length ?? Infinity,
    tails: tailsOf(forms),
    looseTails: tailsOf(loose),
  };
}

/** Forms by their first character, longest first, and the length of the longest of all. */
interface Tails {
  readonly byFirst: ReadonlyMap<string, readonly string[]>;
  readonly longest: number;
}

function tailsOf(forms: readonly string[]): Tails {
  const byFirst = Map.groupBy(forms, (form) => form[0] ?? '');
  return { byFirst, longest: forms[0]?.length ?? 0 };
}

/** Returns the offset of the longest tail that may continue to one of the forms; undefined when there is none. */
export function beginOfTail(text: string, { byFirst, longest }: Tails): number | undefined {
  for (let begin = Math.max(0, text.length - longest + 1); begin < text.length; begin += 1) {
    const length = text.length - begin;
    for (const form of byFirst.get(text[begin] ?? '') ?? []) {
      if (form.length <= length) break;
      if (form.startsWith(text.slice(begin))) return begin;
    }
  }
  return undefined;
}

/** Sorts forms by length, since a secret may begin with another one. */
function longestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Layers of encoding that are read, besides the forms of a secret, which are one or two more. */
const layers = 3;
const workPerChar = 30;

/** Returns the ranges of secrets in a text and in the texts that it encodes, in order. `beginsLine`: the text begins a line. */
export function findSecrets(text: string, beginsLine: boolean, made: CompiledSecrets): Ranges {
  if (text.length < shortestSecret) return [];
  const mayHold = made.mayHold(text);
  const exact = mayHold ? rangesOf(text, made.pattern) : [];
  const loose = looseIn(text, beginsLine, { ...made, mayHold: (read) => (read === text ? mayHold : made.mayHold(read)) });
  return merged(exact, [...loose, ...findEncoded(text, made), ...findMasked(text, made)]);
}

/** A text that is encoded in `within`, or in the searched text itself. */
interface Layer {
  readonly text: string;
  readonly depth: number;
  readonly decoding?: Decoding;
  readonly within?: Layer;
}

/**
 * Returns the ranges of secrets in the texts that a text encodes, outer layers first. Those hold no line prefixes or dumps of their own.
 * What is read is at most `workPerChar` times as long as the text, since texts can be made that decode in many ways.
 */
function findEncoded(text: string, made: CompiledSecrets): Ranges {
  const found: (readonly [number, number])[] = [];
  const waiting: Layer[] = [{ text, depth: 0 }];
  let seen: Set<string> | undefined;
  let work = workPerChar * (text.length + 100);
  for (let next = 0; next < waiting.length; next += 1) {
    const within = waiting[next] as Layer;
    for (const decoding of [...decodeEscapes(within.text), ...decodeRuns(within.text)]) {
      seen ??= new Set();
      if (seen.has(decoding.text)) continue;
      seen.add(decoding.text);
      work -= decoding.text.length;
      if (work < 0) return found;
      const layer = { text: decoding.text, depth: within.depth + 1, decoding, within };
      if (made.mayHold(layer.text))
        for (const range of [...rangesOf(layer.text, made.pattern), ...plainLooseIn(layer.text, made)])
          found.push(toOuter(layer, range));
      if (layer.depth < layers) waiting.push(layer);
    }
  }
  return found;
}

/** Maps a range of a layer to the searched text. */
function toOuter({ decoding, within }: Layer, [from, to]: readonly [number, number]): readonly [number, number] {
  if (decoding === undefined || within === undefined) return [from, to];
  return toOuter(within, [decoding.at[from] ?? 0, decoding.end[to - 1] ?? within.text.length]);
}

const mayHoldMask = /\*{3}|\.{3}|…|•{2}|x{4}|X{4}/;
/** A word whose middle is a mark, as providers repeat a refused key. */
const masked = /(?<![\w-])([\w-]{0,40}?)(?:\*{3,200}|\.{3,9}|…|•{2,200}|x{4,200}|X{4,200})([\w-]{0,40})(?![\w-])/g;

/** Returns the ranges of words that show only the two ends of a secret, or a long beginning of it. */
function findMasked(text: string, { values }: CompiledSecrets): Ranges {
  if (!mayHoldMask.test(text)) return [];
  return [...text.matchAll(masked)].flatMap(({ 0: word, 1: begin = '', 2: end = '', index }) => {
    const isRevealing = (begin.length + end.length > 4 && end.length > 1) || begin.length >= 8;
    const isOf = (secret: string): boolean =>
      secret.length > begin.length + end.length && secret.startsWith(begin) && secret.endsWith(end);
    return isRevealing && values.some(isOf) ? [[index, index + word.length] as const] : [];
  });
}

function plainLooseIn(text: string, { loosePattern }: CompiledSecrets): Ranges {
  return loosePattern === undefined ? [] : rangesIn({ ...toLooseText(text), isDump: false }, loosePattern);
}

/** Returns the ranges of secrets with separators: in folded and coloured text, with numbered or quoted lines, and in dumps of bytes. */
function looseIn(text: string, beginsLine: boolean, { mayHold, loosePattern, shortestLoose }: CompiledSecrets): Ranges {
  if (loosePattern === undefined || text.length < shortestLoose) return [];
  return looseReadings(text, beginsLine, mayHold).flatMap((reading) => {
    const ranges = rangesIn(reading, loosePattern);
    // The text beside the bytes spells them, and a word of two or four bytes may hold an end of the secret: omit whole lines.
    return reading.isDump ? ranges.map(([from, to]) => [text.lastIndexOf('\n', from) + 1, endOfLine(text, to)] as const) : ranges;
  });
}

function rangesOf(text: string, pattern: RegExp): Ranges {
  return [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length] as const);
}

function rangesIn({ text, at }: Reading, pattern: RegExp): Ranges {
  return rangesOf(text, pattern).map(([from, to]) => [at[from] ?? 0, (at[to - 1] ?? 0) + 1] as const);
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Returns the ranges in order, with overlapping ones merged. */
function merged(exact: Ranges, loose: Ranges): Ranges {
  if (loose.length === 0) return exact;
  const all = [...exact, ...loose].sort(([a, b], [c, d]) => a - c || d - b);
  const result: [number, number][] = [];
  for (const [from, to] of all) {
    const last = result.at(-1);
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
