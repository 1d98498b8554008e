import { looseReadings, type Reading } from './loose-readings.ts';
import type { Ranges } from './loose-text.ts';
import { looseForms, secretForms, withoutSeparators, compileSecretFilter, type SecretFilter } from './secret-forms.ts';
import type { ContentPart } from '../prompt/message.ts';

/** Replacement for a secret. */
export const redacted = '[secret]';

/** Shortest secret: shorter values would redact ordinary words. */
export const shortestSecret = 4;

/** Placeholders that people set as unused keys; as secrets they would redact ordinary text. */
const placeholders: ReadonlySet<string> = new Set(
  'test dummy fake none null empty ollama local localhost lm-studio changeme example placeholder secret password token apikey api-key api_key no-key not-needed not-required unused true false'.split(
    ' ',
  ),
);

/**
 * The values that must never be recorded: API keys, environment values in configs, and values that the caller adds.
 *
 * Owns: the list of values, and their removal from a text, in every written form (plain, escaped in JSON, HTML or a URL, in
 * base64 and hexadecimal), also folded, coloured, or in a dump of bytes. Does not own: the entry points of texts
 * (`engine/input/redact-input.ts`).
 * 1. Without secrets, every text is returned as it is at the cost of one comparison.
 * 2. A value without secrets is returned itself, never as a copy.
 * 3. The time is in proportion to the text's length.
 */
export class Secrets {
  /** Number of values; only `add` changes it. */
  size = 0;
  readonly #values = new Set<string>();
  /** Built on first use after a value was added: many may be added together. */
  #made: Made | undefined;

  /** Adds a value; false when it is too short or an ordinary word, and is ignored. */
  add(value: string): boolean {
    const secret = value.trim();
    if (secret.length < shortestSecret || placeholders.has(secret.toLowerCase())) return false;
    if (this.#values.has(secret)) return true;
    this.#values.add(secret);
    this.size = this.#values.size;
    this.#made = undefined;
    return true;
  }

  /** Every written form of every secret, longest first. */
  get forms(): readonly string[] {
    return this.#make()?.forms ?? [];
  }

  /** Every form in text without separators, longest first. */
  get looseForms(): readonly string[] {
    return this.#make()?.looseForms ?? [];
  }

  /** Returns the ranges of secrets in a text, in order. `beginsLine`: the text starts at the beginning of a line. */
  find(text: string, beginsLine = true): Ranges {
    const made = this.#make();
    if (made === undefined || text.length < shortestSecret) return [];
    const mayHold = made.mayHold(text);
    const exact = mayHold ? rangesOf(text, made.pattern) : [];
    return merged(exact, looseIn(text, beginsLine, { ...made, mayHold: (read) => (read === text ? mayHold : made.mayHold(read)) }));
  }

  /** Returns a text without its secrets. */
  readonly text = (text: string): string => this.textFrom(text, true);

  /** Returns a part of a text without its secrets. */
  textFrom(text: string, beginsLine: boolean): string {
    const found = this.find(text, beginsLine);
    return found.length === 0 ? text : withoutRanges(text, 0, found);
  }

  /** Returns JSON or content without its secrets, including keys, and secrets split over neighbouring text parts. */
  readonly json = <Value>(value: Value): Value => (this.#values.size === 0 ? value : (this.#clean(value) as Value));

  #make(): Made | undefined {
    if (this.#values.size === 0 || this.#made !== undefined) return this.#made;
    const forms = longestFirst([...this.#values].flatMap(secretForms));
    const loose = longestFirst([...this.#values].flatMap(looseForms));
    const patternOf = (words: readonly string[]): RegExp => new RegExp(words.map((word) => RegExp.escape(word)).join('|'), 'g');
    this.#made = {
      forms,
      pattern: patternOf(forms),
      mayHold: compileSecretFilter([...new Set([...forms.flatMap(withoutSeparators), ...loose])]),
      looseForms: loose,
      loosePattern: loose.length === 0 ? undefined : patternOf(loose),
      shortestLoose: loose.at(-1)?.length ?? Infinity,
    };
    return this.#made;
  }

  #clean(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#cleanList(value);
    const proto: unknown = Object.getPrototypeOf(value);
    // Bytes, dates and errors are not JSON; they are redacted when they are converted to text.
    return proto === Object.prototype || proto === null ? this.#cleanMap(value as Readonly<Record<string, unknown>>) : value;
  }

  #cleanList(list: readonly unknown[]): readonly unknown[] {
    const joined =
      list.length < 2 ? list : list.every(isPart) ? this.#cleanParts(list) : list.every(isText) ? this.#cleanLines(list) : list;
    const cleaned = joined.map((item) => this.#clean(item));
    return cleaned.every((item, index) => item === list[index]) ? list : cleaned;
  }

  #cleanMap(map: Readonly<Record<string, unknown>>): unknown {
    let changed = false;
    const entries = Object.entries(map).map(([key, item]): readonly [string, unknown] => {
      const clean = [this.text(key), this.#clean(item)] as const;
      changed ||= clean[0] !== key || clean[1] !== item;
      return clean;
    });
    return changed ? Object.fromEntries(entries) : map;
  }

  /** Redacts lines of a program's output. */
  #cleanLines(lines: readonly string[]): readonly string[] {
    const found = this.find(lines.join('\n'));
    if (found.length === 0) return lines;
    let begin = 0;
    return lines.map((line) => {
      const clean = withoutRanges(line, begin, found);
      begin += line.length + 1;
      return clean;
    });
  }

  /** Redacts a secret split over neighbouring texts, which are joined later. */
  #cleanParts(parts: readonly ContentPart[]): readonly ContentPart[] {
    const whole = parts.map((part) => (part.type === 'text' ? part.text : '\0')).join('');
    const found = this.find(whole);
    if (found.length === 0) return parts;
    let begin = 0;
    return parts.map((part) => {
      if (part.type !== 'text') {
        begin += 1;
        return part;
      }
      const text = withoutRanges(part.text, begin, found);
      begin += part.text.length;
      return text === part.text ? part : { ...part, text };
    });
  }
}

function isText(item: unknown): item is string {
  return typeof item === 'string';
}

interface Made {
  readonly forms: readonly string[];
  readonly pattern: RegExp;
  /** False for a text that surely holds none of the forms, loose ones included. */
  readonly mayHold: SecretFilter;
  readonly looseForms: readonly string[];
  readonly loosePattern: RegExp | undefined;
  /** Length of the shortest loose form. */
  readonly shortestLoose: number;
}

/** Sorts forms by length, since a secret may begin with another one. */
function longestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Returns the ranges of secrets with separators: in folded and coloured text, with numbered or quoted lines, and in dumps of bytes. */
function looseIn(text: string, beginsLine: boolean, { mayHold, loosePattern, shortestLoose }: Made): Ranges {
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

function isPart(item: unknown): item is ContentPart {
  if (typeof item !== 'object' || item === null || !('type' in item)) return false;
  return item.type === 'text' ? 'text' in item && typeof item.text === 'string' : item.type === 'file';
}

/** Returns the part of a longer text that starts at `offset`, without the ranges of the whole. */
function withoutRanges(text: string, offset: number, ranges: Ranges): string {
  let clean = '';
  let at = 0;
  for (const [from, to] of ranges) {
    const begin = Math.max(at, from - offset);
    const end = Math.min(text.length, to - offset);
    if (end <= at || begin >= text.length) continue;
    clean += text.slice(at, begin) + (from >= offset ? redacted : '');
    at = end;
  }
  return clean + text.slice(at);
}
