import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretStream } from '../../src/core/secrets/secret-stream.ts';
import { Secrets } from '../../src/core/secrets/secrets.ts';
import { repeats } from '../support/repeats.ts';

const secretsOf = (...values: readonly string[]): Secrets => {
  const secrets = new Secrets();
  for (const value of values) secrets.add(value);
  return secrets;
};

/** Text in pieces as a model streams it, without secrets. */
function streamed(secrets: Secrets, text: string, cuts: readonly number[]): string {
  let out = '';
  const stream = new SecretStream(secrets, (delta) => (out += delta.text));
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  places.slice(1).forEach((place, n) => stream.push({ attempt: 1, n, kind: 'text', text: text.slice(places[n], place) }));
  stream.end();
  return out;
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const letters = (text: string, write: (code: number) => string): string =>
  [...text].map((letter) => (/[A-Za-z]/.test(letter) ? letter : write(letter.codePointAt(0) ?? 0))).join('');
const hex = (code: number, width = 0): string => code.toString(16).padStart(width, '0');

/** Escapes: a text stays readable beside them. */
const escapes: Readonly<Record<string, (text: string) => string>> = {
  json: (text) => JSON.stringify(text).slice(1, -1),
  'json in ASCII': (text) =>
    letters(JSON.stringify(text).slice(1, -1), (code) => (code < 0x80 ? String.fromCodePoint(code) : `\\u${hex(code, 4)}`)),
  'every letter in JSON': (text) => [...Array(text.length).keys()].map((at) => `\\u${hex(text.charCodeAt(at), 4)}`).join(''),
  url: (text) => encodeURIComponent(text),
  'every byte in a URL': (text) => [...Buffer.from(text)].map((byte) => `%${hex(byte, 2).toUpperCase()}`).join(''),
  'decimal entities': (text) => letters(text, (code) => `&#${code};`),
  'padded entities': (text) => letters(text, (code) => `&#${String(code).padStart(5, '0')};`),
  'hexadecimal entities': (text) => [...text].map((letter) => `&#x${hex(letter.codePointAt(0) ?? 0)};`).join(''),
  'named entities': (text) => text.replace(/[&<>"'#$%()*+,./:=?@!_]/g, (mark) => `&${names[mark] ?? ''};`),
  'quoted-printable': (text) =>
    [...Buffer.from(text)]
      .map((byte) => (byte < 33 || byte > 126 || byte === 61 ? `=${hex(byte, 2).toUpperCase()}` : String.fromCharCode(byte)))
      .join('')
      .replace(/(.{20}[^=]{2})(?=[^=]{3})/g, '$1=\r\n'),
  'declare -x': (text) => text.replace(/["$`\\]/g, '\\$&'),
  'printf %q': (text) => text.replace(/[^\w\r\n]/gu, '\\$&'),
  'single quotes': (text) => text.replaceAll("'", "'\\''"),
  'hexadecimal escapes': (text) => [...Buffer.from(text)].map((byte) => `\\x${hex(byte, 2)}`).join(''),
  'octal escapes': (text) => [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  'code points': (text) => letters(text, (code) => `\\u{${hex(code)}}`),
};

const names: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '(': 'lpar',
  ')': 'rpar',
  '*': 'ast',
  '+': 'plus',
  ',': 'comma',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  '=': 'equals',
  '?': 'quest',
  '@': 'commat',
  '!': 'excl',
  _: 'lowbar',
};

/** Encodings of the bytes as a whole. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 in lines': (text) => Buffer.from(text).toString('base64').replace(/.{24}/g, '$&\n'),
  'base64 of UTF-16': (text) => utf16(text).toString('base64'),
  'base64 of UTF-16, big-endian': (text) => utf16(text).swap16().toString('base64'),
  'base64 inside': (text) => Buffer.from(`key=${text};`).toString('base64'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'hex of UTF-16': (text) => utf16(text).toString('hex'),
};
const all = { ...escapes, ...encodings };

const aSecret = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.!'),
    minLength: 14,
    maxLength: 60,
  }),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019$"\'`\\&<>#:@ ()'), minLength: 12, maxLength: 40 }).map((text) => `k${text}9`),
  fc.string({ unit: fc.constantFrom('k', 'ü', 'Q', '7', '#', '€', 'z'), minLength: 14, maxLength: 30 }),
);
const cuts = fc.array(fc.nat(3000), { maxLength: 12 });

/**
 * True when a piece of a text can be read back from what is left, as a reader who knows the layers would. The padding of base64, which is not
 * of the secret, may take more than half of a text once it is encoded again.
 */
const isLeft = (out: string, written: string): boolean => {
  const size = Math.max(8, Math.ceil(written.length * 0.75));
  for (let at = 0; at + size <= written.length; at += 1) if (out.includes(written.slice(at, at + size))) return true;
  return false;
};

describe('secrets under several layers of encoding', () => {
  it.each([
    ['declare -x', `declare -x API_KEY="pa\\$\\$w0rd\\"9fQ2\\\`xT7b"`, 'pa$$w0rd"9fQ2`xT7b'],
    ['JSON in JSON in JSON', JSON.stringify(JSON.stringify(JSON.stringify('pa"ss\\word-9fQ2'))), 'pa"ss\\word-9fQ2'],
    ['a URL in a URL', encodeURIComponent(encodeURIComponent('p&ss/wörd=9fQ2+xT')), 'p&ss/wörd=9fQ2+xT'],
    ['decimal entities', 'p&#38;ss&#60;word&#045;9fQ2', 'p&ss<word-9fQ2'],
    ['entities without an end', 'p&#38ss&#x3Cword&#x2d;9fQ2', 'p&ss<word-9fQ2'],
    ['quoted-printable', 'sk-live=2D9fQ2xT=\r\n7bLm4WzR8cV=\r\na0K', 'sk-live-9fQ2xT7bLm4WzR8cVa0K'],
    ['quoted-printable behind a name', 'API_KEY=adbe=2D9fQ2xT7bLm4WzR', 'adbe-9fQ2xT7bLm4WzR'],
    ['base64 of quoted-printable behind a name', btoa('key=aa=3Daaaaaaaaaaaaaa;'), 'aa=aaaaaaaaaaaaaa'],
    ['base64 of base64', btoa(btoa('sk-live-9fQ2xT7bLm4WzR8cVa0K')), 'sk-live-9fQ2xT7bLm4WzR8cVa0K'],
    ['base64 of base64 of base64', btoa(btoa(btoa('sk-live-9fQ2xT7bLm4WzR8cVa0K'))), 'sk-live-9fQ2xT7bLm4WzR8cVa0K'],
    ['base64 of UTF-16', utf16('sk-live-9fQ2xT7bLm4WzR8cVa0K').toString('base64'), 'sk-live-9fQ2xT7bLm4WzR8cVa0K'],
    ['a URL of base64 of JSON', encodeURIComponent(btoa(JSON.stringify({ key: 'pa"ss\\word-9fQ2/xx' }))), 'pa"ss\\word-9fQ2/xx'],
  ])('F78: %s', (_, written, secret) => {
    const out = secretsOf(secret).text(`the key: ${written} and more`);
    expect(out).toMatch(/^the key: .*\[secret\].* and more$/s);
    expect(isLeft(out, written)).toBe(false);
  });

  it('F78: property: of a random secret under one to three layers, in any order, nothing is left', () => {
    const layers = fc.array(fc.constantFrom(...Object.keys(all)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(aSecret, layers, (secret, names) => {
        const written = names.reduce((text, name) => all[name]?.(text) ?? text, secret);
        fc.pre(written.length < 20_000);
        const out = secretsOf(secret).text(`ordinary words: ${written}\nmore of them`);
        expect(out).toContain('[secret]');
        expect(isLeft(out, written)).toBe(false);
        expect(out.startsWith('ordinary words: ') && out.endsWith('more of them')).toBe(true);
      }),
      { numRuns: repeats(1200) },
    );
  });

  it('F78: property: nor of one in a stream, wherever it is cut', () => {
    const layers = fc.oneof(
      fc.array(fc.constantFrom(...Object.keys(escapes)), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...Object.keys(encodings)).map((name) => [name]),
      fc.tuple(fc.constantFrom('base64', 'base64url', 'hex', 'base64 of UTF-16'), fc.constantFrom('base64', 'base64url', 'url')),
    );
    fc.assert(
      fc.property(aSecret, layers, cuts, (secret, names, places) => {
        const written = names.reduce((text, name) => all[name]?.(text) ?? text, secret);
        fc.pre(written.length < 3_000);
        const out = streamed(secretsOf(secret), `ordinary words: ${written}\nmore of them`, places);
        expect(out).toContain('[secret]');
        expect(isLeft(out, written)).toBe(false);
        expect(out.startsWith('ordinary words: ') && out.endsWith('more of them')).toBe(true);
      }),
      { numRuns: repeats(800) },
    );
  });

  it.each([
    'API_KEY=adbe=2D9fQ2xT7bLm4WzR',
    '2key=adbe=2D9fQ2xT7bLm4WzR',
    'https://a.test/?a=1&key=adbe=2D9fQ2xT7bLm4WzR&x=1',
    'A_LONG_NAME_OF_THE_VARIABLE_THAT_HOLDS_THE_KEY=adbe=2D9fQ2xT7bLm4WzR',
    'x==adbe=2D9fQ2xT7bLm4WzR',
    'A=1\nkey=a=\r\ndbe=2D9fQ2xT7bLm4WzR',
    'key=adbe=\r\n=2D9fQ2xT7bLm4WzR',
  ])('F78: a quoted-printable value that begins as an escape, behind its name, wherever it is cut: %j', (text) => {
    const secrets = secretsOf('adbe-9fQ2xT7bLm4WzR');
    expect(secrets.text(text)).toMatch(/=\[secret\]/);
    for (let cut = 0; cut <= text.length; cut += 1) expect(streamed(secrets, text, [cut])).not.toContain('xT7bLm');
  });

  it('F78: nor where a piece ends in two beginnings of escapes', () => {
    const written = [...'a'.repeat(19)]
      .map(() => '&#x61;')
      .join('')
      .replace('&#x61;&#x61;&#x61;&#x61;', '&#x61;&#x61;&#x61;&#x6=\r\n1;');
    for (let cut = 0; cut <= written.length; cut += 1)
      expect(streamed(secretsOf('a'.repeat(19)), `key: ${written}\nend`, [cut + 5])).toBe('key: [secret]\nend');
  });

  it('F78: what bash prints of its variables', () => {
    const secret = 'pa$$w0rd"9f`Q2\\xT7b!Lm';
    for (const command of [
      'declare -p KEY',
      'export -p',
      'printf "%q" "$KEY"',
      'set',
      'env',
      'echo "${KEY@Q}"',
      'echo "${KEY@A}"',
    ]) {
      const printed = execFileSync('/bin/bash', ['--norc', '-c', command], {
        env: { KEY: secret, PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
      }).toString();
      const out = secretsOf(secret).text(printed);
      expect(out, command).toContain('[secret]');
      expect(out, command).not.toMatch(/Q2.*xT7b/);
    }
  });

  it('F78: ordinary text with escapes, entities and encoded data has no false hits and comes back as it is', () => {
    const secrets = secretsOf('sk-live-9fQ2xT7bLm4WzR8cVa0K', 'correct-horse-42', 'hunter2!', '8f14e45fceea167a5a36dedd4bea2543');
    const pieces = fc.oneof(
      fc.lorem(),
      fc.json(),
      fc.webUrl({ withQueryParameters: true }),
      fc.base64String({ minLength: 20, maxLength: 200 }),
      fc.string().map((text) => JSON.stringify(JSON.stringify(text))),
      fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed())),
      fc.string().map((text) => text.replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`)),
      fc.constantFrom('a=3D=\r\nb', 'AT&T', '100%', 'C:\\new\\table', '\\', '%', '&', '=', '\\u', '%2', '&#'),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.constantFrom('', ' ', '\n'), cuts, (words, between, places) => {
        const text = words.join(between);
        expect(secrets.text(text)).toBe(text);
        expect(streamed(secrets, text, places)).toBe(text);
      }),
      { numRuns: repeats(800) },
    );
  });

  it('F78: text made to be slow to decode takes time in proportion to its length', () => {
    const secrets = secretsOf('sk-live-9fQ2xT7bLm4WzR8cVa0K', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab');
    const timeOf = (text: string): number => {
      const from = process.cpuUsage().user;
      secrets.text(text);
      return process.cpuUsage().user - from;
    };
    for (const part of [
      '\\',
      '%25',
      '&amp;',
      '&#38;',
      '=3D',
      '=\r\n',
      'QUFB',
      '4141',
      '\\u0025',
      '%5C',
      'a=\\%41&#65;',
      "'\\''",
      'QUFBQUFBQUFBQUFBQUFB ',
      '"'.repeat(2),
    ]) {
      const [once = 1, fourTimes = 1] = [50_000, 200_000].map((length) =>
        Math.min(...[1, 2, 3].map(() => timeOf(part.repeat(length / part.length)))),
      );
      expect(fourTimes, JSON.stringify(part)).toBeLessThan(12 * once + 20_000);
    }
  });

  it.each([
    ['Incorrect API key provided: sk-live-*************a0K1. You can find', 'sk-live-9fQ2xT7bLm4WzR8cVa0K1', '*a0K1'],
    ['invalid x-api-key: sk-live-...0K1', 'sk-live-9fQ2xT7bLm4WzR8cVa0K1', '0K1'],
    ['key sk-live-9fQ2xT… refused', 'sk-live-9fQ2xT7bLm4WzR8cVa0K1', '9fQ2'],
    ['"key":"sk-l••••••a0K1"', 'sk-live-9fQ2xT7bLm4WzR8cVa0K1', 'a0K1'],
    ['sk-lXXXXXXXXXXXXXXXXXXXXa0K1', 'sk-live-9fQ2xT7bLm4WzR8cVa0K1', 'a0K1'],
    ['sk-lxxxxxxxxxxxxa0K1', 'sk-live-9fQ2xT7bLm4WzR8cVa0K1', 'a0K1'],
  ])('F99: a masked echo of a key is removed: %s', (text, secret, part) => {
    const out = secretsOf(secret).text(text);
    expect(out).toContain('[secret]');
    expect(out).not.toContain(part);
  });

  it('F99: words with dots behind them, and masks of other keys, stay', () => {
    const text = 'and so on... sk-... sk-other-****1234, 12***89, see https://a.test/x...y; wait…';
    expect(secretsOf('sk-live-9fQ2xT7bLm4WzR8cVa0K1').text(text)).toBe(text);
  });
});
