import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretForms } from '../../src/core/secrets/secret-forms.ts';
import { createContentHash } from '../../src/engine/recovery/content-hash.ts';
import { exportRun, type ExportedRun } from '../../src/engine/recovery/export-run.ts';
import { importRun } from '../../src/engine/recovery/imported-run.ts';
import { contentOf } from '../../src/inspect/bundle.ts';
import { findInText } from '../../src/inspect/bundle/find-secrets.ts';
import { homePattern } from '../../src/inspect/bundle/redact-run.ts';
import { readBundle } from '../../src/inspect/bundle/read-bundle.ts';
import { redactionText } from '../../src/inspect/format/redaction-text.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { allViews } from '../support/all-views.ts';
import { richRun } from '../support/rich-journal.ts';

const hash = createContentHash();

type Recorded = Awaited<ReturnType<typeof richRun>>;

const exported = async (run: Recorded, env: Readonly<Record<string, string>> = {}): Promise<ExportedRun> =>
  await exportRun(run, { at: 1_000, redact: true, env, homes: ['/srv/people/ada'] });

const chars = (alphabet: string, length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((letters) => letters.join(''))
    // What is made by chance has some of each.
    .filter((text) => new Set(text).size > length / 3 && /\d/.test(text) && /[A-Za-z]/.test(text));
const lower = 'abcdefghijklmnopqrstuvwxyz';
const alnum = `${lower}${lower.toUpperCase()}0123456789`;

/** A secret, and the words it stands in when it is planted. */
interface Planted {
  readonly value: string;
  readonly said: string;
}
const planted: fc.Arbitrary<Planted> = fc.oneof(
  chars(alnum, 24).map((tail) => ({ value: `sk-${tail}`, said: `use sk-${tail}, quickly` })),
  chars(alnum, 36).map((tail) => ({ value: `ghp_${tail}`, said: `(ghp_${tail})` })),
  chars(`${lower.toUpperCase()}0123456789`, 16).map((tail) => ({ value: `AKIA${tail}`, said: `id=AKIA${tail};` })),
  chars(alnum, 40).map((token) => ({ value: token, said: `Authorization: Bearer ${token}` })),
  chars(alnum, 12).map((word) => ({ value: word, said: `postgres://ada:${word}@db.example:5432/x` })),
  chars(`${alnum}!#$%*+`, 14).map((word) => ({ value: word, said: `DB_PASSWORD="${word}"` })),
  chars(alnum, 20).map((word) => ({ value: word, said: JSON.stringify({ api_key: word, n: 1 }) })),
  fc.tuple(chars(alnum, 20), chars(alnum, 40), chars(alnum, 30)).map(([head, body, sum]) => {
    const jwt = `eyJ${head}.eyJ${body}.${sum}`;
    return { value: jwt, said: `token ${jwt}` };
  }),
  chars(alnum, 64).map((line) => {
    const pem = `-----BEGIN RSA PRIVATE KEY-----\n${line}\n${line.toUpperCase()}\n-----END RSA PRIVATE KEY-----`;
    return { value: line, said: `the key:\n${pem}\nthat was it` };
  }),
);

const encodings: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => JSON.stringify(JSON.stringify({ v: value })),
  (value) => encodeURIComponent(value),
  (value) => Buffer.from(`x${value}y`).toString('base64'),
  (value) => Buffer.from(value).toString('hex'),
];

describe('what leaves the machine', () => {
  it('holds no planted secret, in no form; views work, spans join, and it is read back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(planted, { minLength: 1, maxLength: 3 }),
        chars(alnum, 18),
        fc.nat(encodings.length - 1),
        async (secrets, key, form) => {
          const encode = encodings[form] ?? String;
          const run = await richRun({
            input: secrets.map(({ said }) => said).join('\n'),
            result: {
              text: secrets.map(({ value }) => encode(value)).join(' '),
              key: `<${encode(key)}>`,
              nested: [{ said: secrets[0]?.said }],
            },
            args: { note: secrets.at(-1)?.said ?? '', key },
            profile: `\ndescription_for_human: ${JSON.stringify(secrets[0]?.said ?? '')}`,
          });
          const { bundle, report } = await exported(run, { SOME_API_KEY: key });
          const text = JSON.stringify(bundle);
          for (const value of [...secrets.map((secret) => secret.value), key])
            expect(secretForms(value).filter((one) => text.includes(one))).toEqual([]);
          expect(JSON.stringify(report)).not.toContain(key);
          const views = allViews({ ...bundle, content: contentOf(bundle) });
          expect(readBundle(text, { hash, source: 'x' })).toEqual(JSON.parse(text));
          const { turns } = views as { turns: { prompt: { text: string; spans: { text: string }[] } }[] };
          for (const { prompt } of turns) expect(prompt.spans.map((span) => span.text).join('')).toBe(prompt.text);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('is the same when it is done twice, and when nothing is found', async () => {
    const run = await richRun({
      input: 'password: Tr0ub4dor&3x in /home/ada/work/x.ts',
      result: 'https://u:p4ssw0rd@h/ and /root/.ssh',
    });
    const { bundle, report } = await exported(run);
    expect(report).toMatchObject({
      counts: {
        'value under the name of a secret': expect.any(Number),
        'password in an address': expect.any(Number),
        'home folder': expect.any(Number),
      },
    });
    const journal = createMemoryJournal();
    const runId = await importRun(journal, readBundle(JSON.stringify(bundle), { hash, source: 'x' }), {
      from: 'x',
      at: 1,
      hash,
      owner: '1@h#n',
    });
    const again = await exported({ events: await journal.read(runId), content: (key) => journal.content(key) });
    expect(again.bundle).toEqual(JSON.parse(JSON.stringify(bundle)));
    expect(again.report).toEqual({ counts: {}, events: [], texts: 0, profiles: [] });
    const clean = await richRun({ input: 'Nothing to hide.' });
    const whole = await exportRun(clean, { at: 1_000, redact: false, env: {}, homes: [] });
    expect({ ...(await exported(clean)).bundle, redacted: false }).toEqual(whole.bundle);
  });

  it('lets be what is no secret', () => {
    const ordinary = [
      'max_tokens: 4096, total_tokens: 123456',
      'token: string; password: required; secret = getSecret(name1)',
      'apiKey: process.env.OPENAI_API_KEY, token: config.auth.token2',
      'The token is a word; passwords are words. Basic authentication is not.',
      'https://example.com:8080/a@b and mailto:ada@example.com',
      'cookie: session; path=/; expires=2026-01-01',
      '"token": "KB-00001", "secret": "[secret]", "password": "********"',
      'sk-learn and sk_test_ and ghp_short and AKIAnot',
    ];
    for (const text of ordinary) expect({ text, found: findInText(text) }).toEqual({ text, found: [] });
  });

  it('names home folders by ~ and nothing else', () => {
    const clean = (text: string): string => text.replace(homePattern(['/srv/people/ada']), '~');
    expect(
      clean('/home/ada/x, "/Users/Ada B" C:\\Users\\ada\\x C:\\\\Users\\\\ada\\\\x file:///home/ada/x /root/x /srv/people/ada/y'),
    ).toBe('~/x, "~ B" ~\\x ~\\\\x file://~/x ~/x ~/y');
    for (const kept of [
      '/home',
      '/home/',
      'https://x.example/home/page',
      '/var/home/x',
      'a/root/x',
      '/rooted/x',
      '/srv/people/adam',
      '/home/*/x',
    ])
      expect(clean(kept)).toBe(kept);
  });

  it('says what was replaced and where, never the value', async () => {
    const run = await richRun({ input: 'sk-abcdefghijklmnopqrstuvwx1' });
    const { report } = await exported(run);
    expect(redactionText(report)).toMatch(/^Replaced: \d+ × API key; in \d+ events \(1, .*\)\. Look through the file/);
    expect(redactionText(report)).not.toContain('sk-');
  });
});
