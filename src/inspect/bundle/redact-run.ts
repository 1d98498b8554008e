import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentHash } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import { secretForms } from '../../core/secrets/secret-forms.ts';
import { redacted, Secrets } from '../../core/secrets/secrets.ts';
import { contentOf, type RunRecords } from '../bundle.ts';
import { contentRefs } from '../content-refs.ts';
import { findInJson, type FoundSecret, type RedactionKind } from './find-secrets.ts';
import { readJson } from '../../core/read-json.ts';

/** Options of redaction. */
export interface RedactOptions {
  /** Known secret values; secrets that are found are added. */
  readonly known: Secrets;
  /** Home folders of this machine. */
  readonly homes: readonly string[];
  readonly hash: (text: string) => ContentHash;
}

/** Replacements by kind, with their places: event numbers and texts. Never holds the values. */
export interface RedactionReport {
  readonly counts: Readonly<Partial<Record<RedactionKind, number>>>;
  readonly events: readonly number[];
  readonly texts: number;
  readonly profiles: readonly string[];
}

const addressPassword = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`\\<>]{0,200}:)([^\s/@"'`\\<>]{1,200})(?=@)/gi;

/**
 * Redacts secrets and home folders from a run before it leaves the machine.
 *
 * 1. A value found in one place is replaced everywhere, in every encoding, so that texts derived from each other stay consistent.
 * 2. A changed text gets its new hash, and so does every reference to it.
 * 3. Redaction is idempotent. Ids and hashes are never treated as secrets.
 */
export function redactRun(
  records: RunRecords,
  options: RedactOptions,
): { readonly records: RunRecords; readonly report: RedactionReport } {
  const redactor = new Redactor(records, options);
  const profiles: string[] = [];
  const facts = Object.entries(records.profiles).map(([name, plain]) => {
    const clean = redactor.json(plain);
    if (clean !== plain) profiles.push(name);
    return [redactor.text(name), clean] as const;
  });
  const { contents, renamed } = cleanContents(records, redactor, options.hash);
  const changed: number[] = [];
  const events = records.events.map((event): CadreEvent => {
    const clean = redactor.json(event);
    if (clean !== event) changed.push(event.seq);
    return renamed.size === 0 ? clean : renameRefs(clean, renamed);
  });
  return {
    records: { events, contents, profiles: Object.fromEntries(facts) },
    report: { counts: redactor.counts, events: changed, texts: renamed.size, profiles },
  };
}

/** Finds first, then replaces. */
class Redactor {
  readonly counts: Partial<Record<RedactionKind, number>> = {};
  readonly #secrets: Secrets;
  readonly #homes: RegExp;
  readonly #kinds = new Map<string, RedactionKind>();
  readonly #ids: ReadonlySet<string>;
  /** Texts already searched and left unchanged; most occur many times in a journal. */
  readonly #clean = new Set<string>();

  constructor(records: RunRecords, { known, homes }: RedactOptions) {
    this.#secrets = known;
    this.#homes = homePattern(homes);
    this.#ids = idsOf(records);
    const knownForms = new Set(known.forms);
    const found = ({ kind, value }: FoundSecret): void => {
      if (this.#ids.has(value) || this.#kinds.has(value) || knownForms.has(value) || !known.add(value)) return;
      for (const form of secretForms(value.trim())) this.#kinds.set(form, kind);
      // A key inside a JSON fragment has its line ends written as escapes.
      if (value.includes('\\n')) found({ kind, value: value.replaceAll('\\r', '').replaceAll('\\n', '\n') });
    };
    findInJson([records.events, Object.values(records.contents), records.profiles], found);
  }

  /** Redacts a JSON value; returns the same value when nothing is replaced. */
  json<Value>(value: Value): Value {
    // A secret split over neighbouring texts is whole again when they are joined.
    const whole = this.#secrets.json(this.#walk(value));
    return whole as Value;
  }

  readonly text = (text: string): string => {
    if (this.#clean.has(text) || this.#ids.has(text)) return text;
    const homeless = text.replace(this.#homes, () => this.#count('home folder', '~'));
    const open = homeless.replace(addressPassword, (whole, before: string, password: string) =>
      password === redacted ? whole : `${before}${this.#count('password in an address', redacted)}`,
    );
    const found = this.#secrets.find(open);
    if (open === text && found.length === 0) this.#clean.add(text);
    if (found.length === 0) return open;
    for (const [from, to] of found) this.#count(this.#kinds.get(open.slice(from, to)) ?? 'value of the environment', '');
    return this.#secrets.text(open);
  };

  #count(kind: RedactionKind, mark: string): string {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    return mark;
  }

  #walk(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) {
      const list: readonly unknown[] = value;
      const clean = list.map((entry) => this.#walk(entry));
      return clean.every((entry, index) => entry === list[index]) ? value : clean;
    }
    if (!isJsonObject(value)) return value;
    let changed = false;
    const entries = Object.entries(value).map(([key, entry]): readonly [string, unknown] => {
      const clean = [this.text(key), this.#walk(entry)] as const;
      changed ||= clean[0] !== key || clean[1] !== entry;
      return clean;
    });
    return changed ? Object.fromEntries(entries) : value;
  }
}

/** Redacts stored texts and returns them under new hashes; logs of system prompts come last, since they refer to the others. */
function cleanContents(
  records: RunRecords,
  redactor: Redactor,
  hash: RedactOptions['hash'],
): { readonly contents: Readonly<Record<string, string>>; readonly renamed: ReadonlyMap<string, ContentHash> } {
  const logs: ReadonlySet<string> = new Set(
    records.events.flatMap((event) => (event.type === 'turn.start' && event.prompt !== undefined ? [event.prompt.system] : [])),
  );
  const contents: Record<string, string> = {};
  const renamed = new Map<string, ContentHash>();
  const ordered = Object.entries(records.contents).toSorted(([a], [b]) => Number(logs.has(a)) - Number(logs.has(b)));
  for (const [before, text] of ordered) {
    const clean = cleanText(text, redactor, logs.has(before) ? renamed : new Map());
    const now = clean === text ? (before as ContentHash) : hash(clean);
    contents[now] = clean;
    if (now !== before) renamed.set(before, now);
  }
  return { contents, renamed };
}

/** Redacts a stored text. JSON is redacted value by value, so that it stays valid JSON. */
function cleanText(text: string, redactor: Redactor, renamed: ReadonlyMap<string, ContentHash>): string {
  const value = plainJson(text);
  return value === undefined ? redactor.text(text) : JSON.stringify(renameRefs(redactor.json(value), renamed));
}

function plainJson(text: string): unknown {
  if (!text.startsWith('[') && !text.startsWith('{')) return undefined;
  try {
    const value: unknown = readJson(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    // Plain text that starts with a bracket.
    return undefined;
  }
}

function renameRefs<Value>(value: Value, renamed: ReadonlyMap<string, ContentHash>): Value {
  if (renamed.size === 0) return value;
  const rename = (inner: unknown): unknown => {
    if (typeof inner === 'string') return renamed.get(inner) ?? inner;
    if (Array.isArray(inner)) return inner.map(rename);
    if (!isJsonObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, entry]) => [key, rename(entry)]));
  };
  return rename(value) as Value;
}

const namingKeys: ReadonlySet<string> = new Set(['agentId', 'turnId', 'callId', 'itemId']);

/** Collects the ids of a run, which are never redacted even if they look like secrets. */
function idsOf(records: RunRecords): ReadonlySet<string> {
  const ids = new Set<string>(contentRefs(records.events, contentOf(records)));
  for (const event of records.events) {
    ids.add(event.runId).add(event.type);
    for (const [key, id] of Object.entries(event)) if (namingKeys.has(key) && typeof id === 'string') ids.add(id);
    if (event.type === 'inbox.add') ids.add(event.item.itemId);
  }
  return ids;
}

/** Characters that end a folder name in a text. */
const endOfName = '(?=[/\\\\"\'`\\s:;,)\\]}<>|?#]|$)';

const notInName = '(?<![\\w.~-])';

/**
 * Makes the pattern of home folders in texts: those of any Linux, macOS or Windows user (backslashes may be doubled by JSON), the
 * superuser's, and those that are named.
 */
export function homePattern(named: readonly string[]): RegExp {
  const own = named
    .filter((folder) => folder.length > 3)
    .toSorted((a, b) => b.length - a.length)
    .map((folder) => `${RegExp.escape(folder.replace(/(?<![/\\])[/\\]+$/, ''))}${endOfName}`);
  const user = '[^/\\\\\\s"\'`:;,)\\]}<>|?#*$~{(\\[]{1,64}';
  const usual = [`/(?:home|Users)/${user}${endOfName}`, `/root(?=/)`, `[A-Za-z]:\\\\{1,4}Users\\\\{1,4}${user}(?=[\\\\"'\`\\s]|$)`];
  return new RegExp(`${notInName}(?:${[...own, ...usual].join('|')})`, 'g');
}
