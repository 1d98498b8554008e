import { beginOfTail, compileSecrets, findSecrets, shortestSecret, type CompiledSecrets } from './find-secrets.ts';
import type { Ranges } from './loose-text.ts';
import type { ContentPart } from '../prompt/message.ts';

/** Replacement for a secret. */
export const redacted = '[secret]';

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
 * base64 and hexadecimal), also folded, coloured, in a dump of bytes, or under further layers of such encodings. Does not own: the entry points of texts
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
  #made: CompiledSecrets | undefined;

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

  /** Returns the offset of the longest tail of a text that may continue to one of the forms; undefined when there is none. */
  beginOfTail(text: string): number | undefined {
    const made = this.#make();
    return made === undefined ? undefined : beginOfTail(text, made.tails);
  }

  /** The same for a text without separators. */
  beginOfLooseTail(text: string): number | undefined {
    const made = this.#make();
    return made === undefined ? undefined : beginOfTail(text, made.looseTails);
  }

  /** Returns the ranges of secrets in a text, in order. `beginsLine`: the text starts at the beginning of a line. */
  find(text: string, beginsLine = true): Ranges {
    const made = this.#make();
    return made === undefined ? [] : findSecrets(text, beginsLine, made);
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

  #make(): CompiledSecrets | undefined {
    if (this.#values.size > 0) this.#made ??= compileSecrets([...this.#values]);
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
