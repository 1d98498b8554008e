import { looseReadings, type Reading } from './loose-readings.ts';
import type { Ranges } from './loose-text.ts';
import { compileSecretFilter, type SecretFilter } from './secret-filter.ts';
import { looseForms, secretForms, withoutSeparators } from './secret-forms.ts';
import type { ContentPart } from '../prompt/message.ts';

/** What stands in the place of a secret. */
export const redacted = '[secret]';

/** The shortest value that is looked for: a shorter one would blank out ordinary words. */
export const shortestSecret = 4;

/** Words people set where a key is asked for and none is needed; looking for them would blank out ordinary text. */
const placeholders: ReadonlySet<string> = new Set(
  'test dummy fake none null empty ollama local localhost lm-studio changeme example placeholder secret password token apikey api-key api_key no-key not-needed not-required unused true false'.split(
    ' ',
  ),
);

/**
 * The values that must never be recorded: API keys, what configs take from the environment, and what the caller names.
 *
 * Owns: which values those are, and how they are removed from a text, in every form they are written in (as they are, escaped in JSON,
 * HTML or a URL, in base64 and hexadecimal), also folded, coloured, or in a dump of bytes. Does not own: where texts come in
 * (`engine/redact-input.ts`).
 * 1. With no secret, every text is handed back as it is at the cost of one comparison.
 * 2. What holds no secret is handed back as the same value, never as a copy.
 * 3. The time a text takes is in proportion to its length.
 */
export class Secrets {
  readonly #values = new Set<string>();
  /** Made anew when it is first needed after a value was added: many may be added at once. */
  #made: Made | undefined;

  /** Looks for a value from now on; false when it is too short, or an ordinary word, and is not looked for. */
  add(value: string): boolean {
    const secret = value.trim();
    if (secret.length < shortestSecret || placeholders.has(secret.toLowerCase())) return false;
    if (this.#values.has(secret)) return true;
    this.#values.add(secret);
    this.#made = undefined;
    return true;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Every written form of every secret, longest first. */
  get forms(): readonly string[] {
    return this.#make()?.forms ?? [];
  }

  /** Every form that is looked for where separators are left out, longest first. */
  get looseForms(): readonly string[] {
    return this.#make()?.looseForms ?? [];
  }

  /** Where secrets stand in a text: begin and end of each, in order. `beginsLine`: whether the text begins at the begin of a line. */
  find(text: string, beginsLine = true): Ranges {
    const made = this.#make();
    if (made === undefined || text.length < shortestSecret) return [];
    const mayHold = made.mayHold(text);
    const exact = mayHold ? rangesOf(text, made.pattern) : [];
    return merged(exact, looseIn(text, beginsLine, { ...made, mayHold: (read) => (read === text ? mayHold : made.mayHold(read)) }));
  }

  /** A text without its secrets. */
  readonly text = (text: string): string => this.textFrom(text, true);

  /** A part of a text, without its secrets. */
  textFrom(text: string, beginsLine: boolean): string {
    const found = this.find(text, beginsLine);
    return found.length === 0 ? text : withoutRanges(text, 0, found);
  }

  /** JSON, or content, without its secrets: in keys as well, and where two texts of a list of parts meet. */
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
    // Bytes, dates and errors are no JSON; whoever puts them into words is asked again then.
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

  /** Lines of a text, as programs hand them out. */
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

  /** A secret that is split over neighbouring texts is one again where they are joined. */
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
  /** Length of the shortest of the loose forms. */
  readonly shortestLoose: number;
}

/** A secret may begin with another one. */
function longestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Where secrets stand that have separators in them: in folded and coloured text, with numbered or quoted lines, and in dumps of bytes. */
function looseIn(text: string, beginsLine: boolean, { mayHold, loosePattern, shortestLoose }: Made): Ranges {
  if (loosePattern === undefined || text.length < shortestLoose) return [];
  return looseReadings(text, beginsLine, mayHold).flatMap((reading) => {
    const ranges = rangesIn(reading, loosePattern);
    // Beside the bytes stands what they spell, and a word of two or four bytes may hold an end of the secret: the lines are left out.
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

/** Ranges in order, those that overlap made one. */
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

/** The part of a longer text that begins at `offset`, without what lies in the ranges of the whole. */
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
