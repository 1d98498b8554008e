import { secretForms } from './secret-forms.ts';
import type { ContentPart } from './message.ts';

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
 * Owns: which values those are, and how a text is rid of them, in every form they are written in (as they are, escaped in JSON,
 * HTML or a URL, in base64 and hexadecimal). Does not own: where texts come in (`engine/redact-input.ts`).
 * 1. With no secret, every text is handed back as it is at the cost of one comparison.
 * 2. What holds no secret is handed back as the same value, never as a copy.
 */
export class Secrets {
  readonly #values = new Set<string>();
  /** Made anew when it is first needed after a value was added: many may be added at once. */
  #made: { readonly forms: readonly string[]; readonly pattern: RegExp } | undefined;

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

  /** Where secrets stand in a text: begin and end of each, in order. */
  find(text: string): readonly (readonly [number, number])[] {
    const made = this.#make();
    if (made === undefined) return [];
    return [...text.matchAll(made.pattern)].map((match) => [match.index, match.index + match[0].length] as const);
  }

  /** A text without its secrets. */
  readonly text = (text: string): string => {
    const made = this.#make();
    return made === undefined || text.length < shortestSecret ? text : text.replace(made.pattern, redacted);
  };

  /** JSON, or content, without its secrets: in keys as well, and where two texts of a list of parts meet. */
  readonly json = <Value>(value: Value): Value => (this.#values.size === 0 ? value : (this.#clean(value) as Value));

  #make(): { readonly forms: readonly string[]; readonly pattern: RegExp } | undefined {
    if (this.#values.size === 0 || this.#made !== undefined) return this.#made;
    // Longer forms first: a secret may begin with another one.
    const forms = [...new Set([...this.#values].flatMap(secretForms))].sort((a, b) => b.length - a.length);
    this.#made = { forms, pattern: new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'g') };
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
    const joined = list.length > 1 && list.every(isPart) ? this.#cleanParts(list) : list;
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

function isPart(item: unknown): item is ContentPart {
  if (typeof item !== 'object' || item === null || !('type' in item)) return false;
  return item.type === 'text' ? 'text' in item && typeof item.text === 'string' : item.type === 'file';
}

/** The part of a longer text that begins at `offset`, without what lies in the ranges of the whole. */
function withoutRanges(text: string, offset: number, ranges: readonly (readonly [number, number])[]): string {
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
