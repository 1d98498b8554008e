import { execFileSync, spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
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

const hexOf = (bytes: Buffer): string => bytes.toString('hex');
const pad = (text: string): string => 'x'.repeat(text.length % 7) + text + 'tail';

/** Ways to write a secret down so that it can be read again, without separators. */
const encodings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 inside': (secret) => Buffer.from(pad(secret)).toString('base64'),
  base64url: (secret) => Buffer.from(pad(secret)).toString('base64url'),
  hex: (secret) => hexOf(Buffer.from(secret)),
  'hex in capitals': (secret) => hexOf(Buffer.from(secret)).toUpperCase(),
  url: (secret) => encodeURIComponent(secret),
  binary: (secret) => [...Buffer.from(secret)].map((byte) => byte.toString(2).padStart(8, '0')).join(''),
};

const folded = (text: string, width: number, begin: string, end = '\n'): string =>
  Array.from({ length: Math.ceil(text.length / width) }, (_, line) => begin + text.slice(line * width, (line + 1) * width)).join(
    end,
  );

/** Ways to break a word up, given a width. */
const wrappings: Readonly<Record<string, (text: string, width: number) => string>> = {
  folded: (text, width) => folded(text, width, ''),
  'with CRLF': (text, width) => folded(text, width, '', '\r\n'),
  indented: (text, width) => folded(text, width, '    '),
  quoted: (text, width) => folded(text, width, '> '),
  'in a diff': (text, width) => folded(text, width, '+'),
  'with numbers of lines': (text, width) =>
    folded(text, width, '')
      .split('\n')
      .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
      .join('\n'),
  'as grep shows it': (text, width) => folded(text, width, 'a/b.txt:12:'),
  'in JSON': (text, width) => JSON.stringify(folded(text, width, '')).slice(1, -1),
  'with a backslash at the end of lines': (text, width) => folded(text, width, '', '\\\n'),
  coloured: (text, width) => folded(text, width, '\u001b[1;31m', '\u001b[0m'),
  'coloured, spelled out': (text, width) => folded(text, width, '\\u001b[31m', '\\u001b[0m\\n'),
  'coloured lines with numbers': (text, width) => folded(text, width, '\u001b[32m7\u001b[m:'),
  'spaced out': (text, width) => folded(text, width, '', ' '),
  'with what is not seen': (text, width) => folded(text, width, '', '\u200b\ufe0f'),
};

const dumps: Readonly<Record<string, (bytes: Buffer, width: number) => string>> = {
  xxd: (bytes, width) =>
    dumpOf(bytes, width, (at, part) => {
      const groups = hexOf(part).replace(/(.{4})(?=.)/g, '$1 ');
      return `${at.toString(16).padStart(8, '0')}: ${groups.padEnd(width * 2 + Math.ceil(width / 2))}  ${printable(part)}`;
    }),
  'hexdump -C': (bytes, width) =>
    dumpOf(bytes, width, (at, part) => {
      const groups = [...part].map((byte, index) => byte.toString(16).padStart(2, '0') + (index === 7 ? ' ' : '')).join(' ');
      return `${at.toString(16).padStart(8, '0')}  ${groups.padEnd(width * 3 + 1)} |${printable(part)}|`;
    }),
  od: (bytes, width) =>
    dumpOf(
      bytes,
      width,
      (at, part) => `${at.toString(8).padStart(7, '0')} ${[...part].map((byte) => byte.toString(8).padStart(3, '0')).join(' ')}`,
    ),
};

function dumpOf(bytes: Buffer, width: number, line: (at: number, part: Buffer) => string): string {
  return Array.from({ length: Math.ceil(bytes.length / width) }, (_, index) =>
    line(index * width, bytes.subarray(index * width, (index + 1) * width)),
  ).join('\n');
}

const printable = (bytes: Buffer): string => bytes.toString('latin1').replace(/[^ -~]/g, '.');

const aSecret = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.!'),
    minLength: 14,
    maxLength: 60,
  }),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 16, maxLength: 64 }),
  fc.string({ unit: fc.constantFrom('k', 'ü', 'Q', '7', '#', '€'), minLength: 14, maxLength: 30 }),
);
const theCuts = fc.array(fc.nat(2000), { maxLength: 20 });

// oxlint-disable-next-line no-control-regex -- colours begin with one
const colours = new RegExp('\\u001b\\[[\\d;]*m', 'g');

/** Returns the remains of a secret between two marks: letters that are not part of the marks, gutters or colours. */
function leftBetween(out: string, letters: RegExp): string {
  const inner = out.slice(out.indexOf('<<') + 2, out.lastIndexOf('>>'));
  return inner
    .replaceAll('[secret]', '')
    .replace(/\\u001b\[\d*m|\\n/g, '')
    .replace(colours, '')
    .replace(/^[> +\s]*(?:\d+[\t:]|a\/b\.txt:12:)?/gm, '')
    .replace(letters, '');
}

describe('secrets with separators in them', () => {
  it('F41: property: of a random secret, in any encoding, broken up in any way, nothing is left', () => {
    fc.assert(
      fc.property(
        aSecret,
        fc.constantFrom(...Object.keys(encodings)),
        fc.constantFrom(...Object.keys(wrappings)),
        fc.integer({ min: 1, max: 90 }),
        theCuts,
        (secret, encoding, wrapping, width, cuts) => {
          const secrets = secretsOf(secret);
          const written = wrappings[wrapping]?.(encodings[encoding]?.(secret) ?? '', width) ?? '';
          const text = `ordinary words\n<<\n${written}\n>>\nmore of them`;
          for (const out of [secrets.text(text), streamed(secrets, text, cuts)]) {
            expect(out).toContain('[secret]');
            // Base64 inside a longer text keeps letters at both ends that encode its neighbours, too.
            expect(leftBetween(out, /[^A-Za-z0-9+/=%]/g).length).toBeLessThanOrEqual(encoding.startsWith('base64') ? 24 : 0);
            expect(out.startsWith('ordinary words\n<<') && out.endsWith('>>\nmore of them')).toBe(true);
          }
        },
      ),
      { numRuns: repeats(1500) },
    );
  });

  it('F41: property: nothing of a secret is in a dump of bytes, wherever its lines break', () => {
    fc.assert(
      fc.property(
        aSecret,
        fc.constantFrom(...Object.keys(dumps)),
        fc.integer({ min: 1, max: 32 }),
        fc.nat(20),
        theCuts,
        (secret, dump, width, before, cuts) => {
          const secrets = secretsOf(secret);
          const text = dumps[dump]?.(Buffer.from(`${'~'.repeat(before)}${secret}~~`), width) ?? '';
          const whole = secrets.text(`head\n${text}\nend`);
          expect(whole).toContain('[secret]');
          // The lines that hold it are left out as a whole.
          expect(
            whole
              .replace(/^[0-9a-f]{7,8}:? +(?:7e|7e7e|176|[ ~|])*$/gm, '')
              .replace('[secret]', '')
              .trim()
              .split(/\s+/),
          ).toEqual(['head', 'end']);
          const live = streamed(secrets, `head\n${text}\nend`, cuts);
          expect(live).toContain('[secret]');
          expect(live).not.toContain(secret.slice(0, 12));
        },
      ),
      { numRuns: repeats(800) },
    );
  });

  const commands: readonly (readonly [string, readonly string[]])[] = [
    ['xxd', []],
    ['xxd', ['-c', '5']],
    ['xxd', ['-p', '-c', '9']],
    ['xxd', ['-b']],
    ['xxd', ['-i']],
    ['xxd', ['-e']],
    ['xxd', ['-u', '-g', '1']],
    ['od', []],
    ['od', ['-c']],
    ['od', ['-x']],
    ['od', ['-b']],
    ['od', ['-d']],
    ['od', ['-An', '-tx1']],
    ['od', ['-tx1z', '-w7']],
    ['od', ['-tx4']],
    ['od', ['-tu1']],
    ['hexdump', []],
    ['hexdump', ['-C']],
    ['hexdump', ['-c']],
    ['hexdump', ['-d']],
    ['hexdump', ['-x']],
    ['base64', ['-w', '10']],
    ['fold', ['-w', '6']],
    ['cat', ['-n']],
  ];
  const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
  for (const [program, args] of commands)
    it.skipIf(!isThere(program))(`F41: what ${[program, ...args].join(' ')} prints of one is found`, () => {
      const secret = 'sk-live-9fQ2xT7bLm4WzR8cVa0K';
      for (const before of ['', 'a', 'ab=', 'API_KEY=', 'name: value\nAPI_KEY=']) {
        const printed = execFileSync(program, args, { input: `${before}${secret}\n` }).toString();
        for (const out of [secretsOf(secret).text(printed), streamed(secretsOf(secret), printed, [3, 11, 17, 40, 41, 60, 77])]) {
          expect(out).toContain('[secret]');
          for (const part of [secret.slice(2, 14), secret.slice(14, 26)]) {
            expect(out).not.toContain(part);
            expect(out.replace(/[^0-9a-f]/g, '')).not.toContain(Buffer.from(part).toString('hex'));
          }
        }
      }
    });

  it('F41: ordinary text has no false hits', () => {
    const secrets = secretsOf('sk-live-9fQ2xT7bLm4WzR8cVa0K', 'correct-horse-42', 'hunter2!', '8f14e45fceea167a5a36dedd4bea2543');
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.lorem(),
            fc.string(),
            fc.integer().map(String),
            fc.base64String(),
            fc.constant('\n'),
            fc.constant('horse 42'),
          ),
        ),
        fc.constantFrom('', ' ', '\n', '\t'),
        (words, between) => {
          const text = words.join(between);
          expect(secrets.text(text)).toBe(text);
          expect(streamed(secrets, text, [5, 9, 30])).toBe(text);
        },
      ),
      { numRuns: repeats(500) },
    );
  });

  it('F41: lists of lines are read as one text', () => {
    const secret = 'sk-live-9fQ2xT7bLm4WzR8cVa0K';
    const lines = folded(Buffer.from(secret).toString('base64'), 8, '').split('\n');
    expect(JSON.stringify(secretsOf(secret).json({ stdout: ['first', ...lines, 'last'] }))).not.toContain(lines[2]);
    const clean = ['one', 'two', 'three'];
    expect(secretsOf(secret).json(clean)).toBe(clean);
  });

  it('F41: the work is in proportion to the text, also of text made to be slow', () => {
    const secrets = secretsOf('sk-live-9fQ2xT7bLm4WzR8cVa0K', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab');
    const workOn = (text: string): number => {
      const counted = vi.spyOn(String.prototype, 'charCodeAt');
      secrets.text(text);
      const calls = counted.mock.calls.length;
      counted.mockRestore();
      return calls;
    };
    const parts = [
      'words and words\n',
      'a',
      ' ',
      '\n',
      '\u001b',
      '\u001b[',
      '\u001b]',
      '\\',
      '\\u001b[',
      '0000: ab ',
      '0000: ab cd  x\n',
      '|',
      '> ',
      'sk-l',
      'a b:1',
    ];
    for (const part of parts) {
      const [once, twice] = [4000, 8000].map((length) => workOn(part.repeat(Math.ceil(length / part.length))));
      expect(twice, JSON.stringify(part)).toBeLessThanOrEqual(2.2 * (once ?? 0) + 100);
      expect(once, JSON.stringify(part)).toBeLessThanOrEqual(15 * 4000);
    }
    for (const part of parts) secrets.text(part.repeat(200_000 / part.length));
  });

  it('F41: a stream holds back no more than a bounded text', () => {
    const secret = 'sk-live-9fQ2xT7bLm4WzR8cVa0K';
    let out = '';
    let most = 0;
    let pushed = 0;
    const stream = new SecretStream(secretsOf(secret), (delta) => (out += delta.text));
    for (let n = 0; n < 400; n += 1) {
      const text = n === 0 ? 'sk-' : '\n'.repeat(20);
      pushed += text.length;
      stream.push({ attempt: 1, n, kind: 'text', text });
      most = Math.max(most, pushed - out.length);
    }
    expect(most).toBeLessThan(4000);
  });
});
