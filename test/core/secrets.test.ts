import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelDelta } from '../../src/core/model/model.ts';
import { SecretStream } from '../../src/core/secrets/secret-stream.ts';
import { Secrets } from '../../src/core/secrets/secrets.ts';

const secretsOf = (...values: readonly string[]): Secrets => {
  const secrets = new Secrets();
  for (const value of values) secrets.add(value);
  return secrets;
};

const key = 'sk-Live/+"42" & <ü>';

describe('secrets', () => {
  it.each([
    ['as it is', (text: string) => text],
    ['in JSON', (text: string) => JSON.stringify({ a: text })],
    ['in JSON in JSON', (text: string) => JSON.stringify({ a: JSON.stringify({ b: text }) })],
    ['in an address', (text: string) => `https://a.b/?k=${encodeURIComponent(text)}`],
    ['in a form', (text: string) => new URLSearchParams({ k: text }).toString()],
    [
      'in HTML',
      (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ],
    ['in base64', (text: string) => Buffer.from(text).toString('base64')],
    ['in base64 behind a user name', (text: string) => `Basic ${Buffer.from(`me:${text}`).toString('base64')}`],
    ['in base64 between other bytes', (text: string) => Buffer.from(`ab${text}tail`).toString('base64url')],
    ['in hexadecimal', (text: string) => Buffer.from(text).toString('hex')],
  ])('are found %s', (_name, write) => {
    const clean = secretsOf(key).text(`before ${write(key)} behind`);
    expect(clean).toContain('[secret]');
    expect(clean).toMatch(/^before .* behind$/);
    for (const form of secretsOf(key).forms) expect(clean).not.toContain(form);
  });

  it('what holds none is the same value, not a copy', () => {
    const value = { a: ['b', { c: 1, d: null }], e: new Uint8Array(2) };
    expect(secretsOf(key).json(value)).toBe(value);
    expect(secretsOf().json(value)).toBe(value);
    const other = { a: ['b', { [`x${key}`]: [key] }] };
    expect(secretsOf(key).json(other)).toEqual({ a: ['b', { 'x[secret]': ['[secret]'] }] });
  });

  it('short values and ordinary words are not looked for', () => {
    const secrets = new Secrets();
    expect(['abc', '  ', 'ollama', 'TEST', 'abcd', '1234'].map((value) => secrets.add(value))).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(secrets.text('ollama abc')).toBe('ollama abc');
  });

  it('each long line of a private key is one', () => {
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nqwerty\n-----END PRIVATE KEY-----';
    expect(secretsOf(pem).text('line: MIIEvQIBADANBgkqhkiG9w0BAQEFAASC')).toBe('line: [secret]');
  });

  it('property: one that is cut into parts, or into pieces of a stream, is found', () => {
    const long = 'hunter2-hunter2';
    const text = fc.array(fc.constantFrom(long, 'hunter2', 'hunter', 'hun', '2', '-', ' ', 'words', 'hunter2-hunter2!'), {
      maxLength: 8,
    });
    const cuts = fc.array(fc.nat(60), { maxLength: 12 });
    fc.assert(
      fc.property(text, cuts, (words, at) => {
        const secrets = secretsOf('hunter2', long);
        const whole = words.join('');
        const places = [0, ...at.filter((place) => place < whole.length).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((place, index) => whole.slice(places[index], place));
        const joined = secrets
          .json(pieces.map((piece) => ({ type: 'text', text: piece })))
          .map((part) => part.text)
          .join('');
        expect(joined).toBe(secrets.text(whole));
        let streamed = '';
        const stream = new SecretStream(secrets, (delta) => (streamed += delta.text));
        pieces.forEach((piece, n) => stream.push({ attempt: 1, n, kind: 'text', text: piece }));
        stream.end();
        expect(streamed).toBe(secrets.text(whole));
      }),
      { numRuns: 500 },
    );
  });

  it('pieces of one text do not run into another', () => {
    const seen: ModelDelta[] = [];
    const stream = new SecretStream(secretsOf('hunter2'), (delta) => seen.push(delta));
    stream.push({ attempt: 1, n: 0, kind: 'text', text: 'hunt' });
    stream.push({ attempt: 1, n: 1, kind: 'reasoning', text: 'er2' });
    stream.end();
    const textOf = (kind: string): string => seen.flatMap((delta) => (delta.kind === kind ? [delta.text] : [])).join('');
    expect([textOf('text'), textOf('reasoning')]).toEqual(['hunt', 'er2']);
  });
});
