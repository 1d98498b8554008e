import { isJsonObject } from '../../core/json.ts';
import { redacted } from '../../core/secrets/secrets.ts';
import { readJson } from '../../core/read-json.ts';

/** Kind of secret that a replaced text was taken for. */
export type RedactionKind =
  | 'value of the environment'
  | 'API key'
  | 'private key'
  | 'token'
  | 'password in an address'
  | 'value under the name of a secret'
  | 'home folder';

/** A value that looks like a secret. */
export interface FoundSecret {
  readonly kind: RedactionKind;
  readonly value: string;
}

/** Key formats of known issuers. */
const keyFormats = [
  'sk-[A-Za-z0-9_-]{16,}',
  '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}',
  'gh[pousr]_[A-Za-z0-9]{20,}',
  'github_pat_[A-Za-z0-9_]{20,}',
  'glpat-[A-Za-z0-9_-]{16,}',
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}',
  'AIza[A-Za-z0-9_-]{30,}',
  'ya29\\.[A-Za-z0-9_-]{20,}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  'xapp-[A-Za-z0-9-]{10,}',
  '(?:hf|gsk|r8|npm)_[A-Za-z0-9]{20,}',
  '(?:xai|pplx)-[A-Za-z0-9]{20,}',
  'dop_v1_[a-f0-9]{32,}',
  'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
  'pypi-[A-Za-z0-9_-]{40,}',
];

const pemName = '(?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----';

/** A PEM key, complete or cut short; line ends may be JSON escapes. */
const pem = `-----BEGIN ${pemName}(?:[^]{0,16000}?-----END ${pemName}|(?:(?:\\s|\\\\[nr])*[A-Za-z0-9+/=]{16,})*)`;

const patterns: readonly { readonly kind: RedactionKind; readonly pattern: RegExp; readonly mustBeRandom?: true }[] = [
  { kind: 'private key', pattern: new RegExp(`(${pem})`, 'g') },
  { kind: 'API key', pattern: new RegExp(`(?<![A-Za-z0-9])(${keyFormats.join('|')})`, 'g') },
  { kind: 'token', pattern: /(?<![A-Za-z0-9])(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?)/g },
  { kind: 'token', pattern: /(?<![A-Za-z])(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{16,})/gi, mustBeRandom: true },
  { kind: 'password in an address', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`\\<>]{0,200}:([^\s/@"'`\\<>]{4,200})@/gi },
  {
    kind: 'value under the name of a secret',
    pattern:
      /(?:api[_-]?key|access[_-]?key|private[_-]?key|secret(?:[_-]?key)?|token|passw(?:or)?d|passphrase|pwd|credentials?|authorization|cookie)\\*["'`]?\s{0,4}[:=]\s{0,4}\\*["'`]?([^\s"'`,;&<>\\\])}]{8,400})/gi,
    mustBeRandom: true,
  },
];

/** Finds everything in a text that looks like a secret. */
export function findInText(text: string): readonly FoundSecret[] {
  if (text.length < 8) return [];
  const found: FoundSecret[] = [];
  for (const { kind, pattern, mustBeRandom } of patterns)
    for (const [, value = ''] of text.matchAll(pattern))
      if (!value.includes(redacted) && (mustBeRandom !== true || isRandom(value))) found.push({ kind, value });
  return found;
}

const secretName =
  /(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|secret[_-]?key|token|passw(?:or)?d|passphrase|pwd|credentials?|authorization|cookie)$/i;

/** Maximum depth of JSON nested in texts. */
const deepestText = 3;

/**
 * Finds everything in JSON that looks like a secret: in texts, in keys, under telling names, and in JSON inside texts. Searches
 * repeated texts, which make up most of a journal, only once.
 */
export function findInJson(value: unknown, found: (secret: FoundSecret) => void): void {
  const seen = new Set<string>();
  const lookThrough = (text: string): boolean => {
    if (seen.has(text)) return false;
    seen.add(text);
    for (const secret of findInText(text)) found(secret);
    return true;
  };
  const walk = (inner: unknown, depth: number): void => {
    if (typeof inner === 'string') {
      const isNew = lookThrough(inner);
      const json = isNew && depth < deepestText ? jsonIn(inner) : undefined;
      if (json !== undefined) walk(json, depth + 1);
    } else if (Array.isArray(inner)) {
      for (const entry of inner) walk(entry, depth);
    } else if (isJsonObject(inner)) {
      for (const [key, entry] of Object.entries(inner)) {
        lookThrough(key);
        if (typeof entry === 'string' && secretName.test(key) && isRandom(entry))
          found({ kind: 'value under the name of a secret', value: entry });
        walk(entry, depth);
      }
    }
  };
  walk(value, 0);
}

/** Parses a text that is itself a JSON list or object. */
function jsonIn(text: string): unknown {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    const value: unknown = readJson(text);
    return value;
  } catch {
    // It starts like JSON but is not.
    return undefined;
  }
}

const ordinary = /^(?:[a-z][a-z0-9+.-]*:\/\/\S*|\.{0,2}[/\\].*|[A-Z]:\\.*|\d{4}-\d\d-\d\d.*|v?\d+(?:[.:]\d+)*|\$?\{.*|<.*)$/i;

/** True when a value looks random, unlike a word, a path, a number or program code. */
function isRandom(value: string): boolean {
  if (value.length < 8 || value.length > 4_000 || value.includes(redacted) || ordinary.test(value) || /\s/.test(value))
    return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((pattern) => pattern.test(value)).length;
  if (value.length < 20) return classes >= 2 && /\d/.test(value) && !/[(.]/.test(value) && entropyOf(value) >= 2.5;
  return classes >= 2 && /\d|[a-z][A-Z][a-z]?[A-Z]/.test(value) && !value.includes('(') && entropyOf(value) >= 3;
}

/** Entropy of the text in bits per character, from character frequencies. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits - (count / text.length) * Math.log2(count / text.length), 0);
}
