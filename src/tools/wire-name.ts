import { createHash } from 'node:crypto';

/** What every provider accepts as the name of a tool. */
export const wirePattern = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Words for the characters that real tool names have most; every other one is `u` and its code point in hexadecimal. */
const words: ReadonlyMap<string, string> = new Map([
  ['.', 'dot'],
  ['/', 'slash'],
  [':', 'colon'],
  [' ', 'space'],
  ['@', 'at'],
]);
const characters: ReadonlyMap<string, string> = new Map([...words].map(([character, word]) => [word, character]));

/**
 * A tool's name as providers accept it. Names that are legal already stay as they are, unless they read like an encoded
 * one; in others `_` is doubled and every illegal character is a word between underscores: `fs.read_file` becomes
 * `fs_dot_read__file`. What is too long for that ends in a hash, which only a registry can translate back.
 */
export function encodeWireName(name: string): string {
  if (isPlain(name)) return name;
  const spelled = spell(name);
  return wirePattern.test(spelled) ? spelled : hashed(name, spelled);
}

/** The name behind an encoded one; a name that is not encoded, or by its hash, is returned as it is. */
export function decodeWireName(wire: string): string {
  if (!wirePattern.test(wire) || isPlain(wire)) return wire;
  return unspell(wire) ?? wire;
}

/** Whether a name is legal, and no other name is encoded as it. */
function isPlain(name: string): boolean {
  if (!wirePattern.test(name)) return false;
  const origin = unspell(name);
  // Undoing makes a name shorter, or leaves it as it is, so this comes to an end.
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

/** Undoes `spell`; undefined when a text cannot be its work. */
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

/** The readable start of a name, and 80 bits of its hash. */
function hashed(name: string, spelled: string): string {
  const start = spelled.replace(/[^a-zA-Z0-9_-]/g, '').slice(0, 40);
  return `${/^[a-zA-Z_]/.test(start) ? start : `t${start}`}_h${createHash('sha256').update(name, 'utf16le').digest('hex').slice(0, 20)}`;
}
