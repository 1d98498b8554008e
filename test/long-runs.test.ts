import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { knownToolsetKinds } from '../src/engine/toolsets/known-toolset-kinds.ts';
import { toRelative } from '../src/files/resolve-inside.ts';
import { plainName } from '../src/files/plain-name.ts';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** A regular expression in a source that begins with a repetition and goes on: at each place of a long run it begins again. */
const repeating = /(?<=[(=:,?&|!]\s*)\/((?:\^\\s|\(?\(?\??:?(?:\\[sdwS]|\[(?:[^\]\\]|\\.)+\]))[+*](?:[^/\n\\]|\\.)+)\/([a-z]*)/g;

/** One that ends in what may be absent matches at once, wherever it begins. */
const harmless = new Set(["/[\\p{L}\\p{N}\\p{M}]+(?:['’]\\p{L}+)*/gu"]);

function repeatingIn(text: string): readonly string[] {
  return [...text.matchAll(repeating)]
    .filter(([, source = '', flags = '']) => !flags.includes('y') && (!source.startsWith('^') || flags.includes('m')))
    .map(([literal]) => literal)
    .filter((literal) => !harmless.has(literal));
}

describe('texts that are one long run take time in proportion to their length', () => {
  it('no pattern of the source is tried again at each place of a run', () => {
    expect(repeatingIn(String.raw`a.replace(/\s*\n\s*/g, ' ').replace(/[ \t]+$/gm, '')`)).toHaveLength(2);
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const found = files.flatMap((file) =>
      repeatingIn(readFileSync(path.join(src, file), 'utf8')).map((literal) => `${file}: ${literal}`),
    );
    expect(found).toEqual([]);
  });

  it('paths that a model asks for', () => {
    expect(toRelative(['/files'], `/files/${'a/'.repeat(10)}b`, 'path')).toBe(`${'a/'.repeat(10)}b`);
    expect(() => toRelative(['/files'], `${'/'.repeat(300_000)}x`, 'path')).toThrow();
    expect(plainName(`${'. '.repeat(150_000)}x`)).toHaveLength(300_001);
  });

  it('profile files of a folder', async () => {
    const text = `${'\n'.repeat(300_000)}name: x\n`;
    expect(await knownToolsetKinds([{ path: 'profiles/x.yaml', text }])).toBeDefined();
  });
});
