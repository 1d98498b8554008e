import { createHash } from 'node:crypto';

/** Tool names that every provider accepts. */
export const wirePattern = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Words for the most common characters of real tool names; any other character is `u` and its code point in hexadecimal. */
const words: ReadonlyMap<string, string> = new Map([
  ['.', 'dot'],
  ['/', 'slash'],
  [':', 'colon'],
  [' ', 'space'],
  ['@', 'at'],
]);
const characters: ReadonlyMap<string, string> = new Map([...words].map(([character, word]) => [word, character]));

/**
 * Encodes a tool's name in the form providers accept. Names that are valid already stay as they are, unless they look encoded. In others
 * `_` is doubled and every invalid character becomes a word between underscores: `fs.read_file` becomes `fs_dot_read__file`. A name too
 * long for that ends in a hash, which only a registry can translate back.
 */
export function encodeWireName(name: string): string {
  if (isPlain(name)) return name;
  const spelled = spell(name);
  return wirePattern.test(spelled) ? spelled : hashed(name, spelled);
}

/** Decodes a wire name; a name that is not encoded, or encoded as a hash, is returned as it is. */
export function decodeWireName(wire: string): string {
  if (!wirePattern.test(wire) || isPlain(wire)) return wire;
  return unspell(wire) ?? wire;
}

/** True when a name is valid and no other name is encoded to it. */
function isPlain(name: string): boolean {
  if (!wirePattern.test(name)) return false;
  const origin = unspell(name);
  // Decoding never lengthens a name, so this terminates.
  return origin === undefined || origin === name || spell(origin) !== name || isPlain(origin);
}

function spell(name: string): string {
  let spelled = '';
  for (const character of name) {
    if (character === '_') spelled += '__';
    else if (/[a-zA-Z]/.test(character) || (spelled !== '' && /[0-9-]/.test(character))) spelled += character;
    else spelled += `_${words.get(character) ?? `u${character.codePointAt(0)?.toString(16) ?? ''}`}_`;
  }
  return spelled;
}

/** Decodes the output of `spell`; undefined when a text cannot be that. */
function unspell(wire: string): string | undefined {
  let name = '';
  for (let index = 0; index < wire.length; index += 1) {
    if (wire[index] !== '_') {
      name += wire.charAt(index);
      continue;
    }
    const end = wire.indexOf('_', index + 1);
    if (end === -1) return undefined;
    const character = end === index + 1 ? '_' : characterOf(wire.slice(index + 1, end));
    if (character === undefined) return undefined;
    name += character;
    index = end;
  }
  return name;
}

function characterOf(token: string): string | undefined {
  if (!/^u[0-9a-f]{1,6}$/.test(token)) return characters.get(token);
  const code = Number.parseInt(token.slice(1), 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** Returns the readable start of a name, and 80 bits of its hash. */
function hashed(name: string, spelled: string): string {
  const start = spelled.replace(/[^a-zA-Z0-9_-]/g, '').slice(0, 40);
  return `${/^[a-zA-Z_]/.test(start) ? start : `t${start}`}_h${createHash('sha256').update(name, 'utf16le').digest('hex').slice(0, 20)}`;
}

/**
 * Original names of wire names that end in a hash and cannot be decoded. A pure cache: a wire name depends on the name alone, so the
 * catalogs its tools come from do not matter.
 */
export class WireNames {
  readonly #origins = new Map<string, string>();

  /** Remembers the name of a tool. */
  add(name: string): void {
    const wire = encodeWireName(name);
    if (decodeWireName(wire) !== name) this.#origins.set(wire, name);
  }

  /** Returns the name that a wire name encodes; any other text is returned unchanged. */
  decode(wire: string): string {
    return this.#origins.get(wire) ?? decodeWireName(wire);
  }
}
