import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { requirements } from './requirements.ts';

/** The tags at the beginning of the titles of all tests, with the files they stand in. */
const cited = new Map<string, Set<string>>();
for (const file of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
)) {
  const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
  for (const title of text.matchAll(/\((['"`])((?:\[[A-D]\d+(?:\.[\w-]+)+\] ?)+)/g)) {
    for (const tag of (title[2] ?? '').matchAll(/\[([^\]]+)\]/g))
      cited.set(tag[1] ?? '', (cited.get(tag[1] ?? '') ?? new Set()).add(file));
  }
}

const known = new Map(requirements.map((requirement) => [requirement.id, requirement]));

describe('requirements', () => {
  it('have ids that are unique, and reasons where they are left for later', () => {
    expect(known.size).toBe(requirements.length);
    expect(
      requirements.filter(({ status, reason }) => (status === 'later') !== (reason !== undefined && reason.length > 20)),
    ).toEqual([]);
  });

  it('that are verified are cited by a test', () => {
    expect(requirements.filter(({ id, status }) => status === 'verified' && !cited.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it('that are cited exist, and are not left for later', () => {
    const wrong = [...cited]
      .filter(([id]) => known.get(id)?.status !== 'verified')
      .map(([id, files]) => `${id} in ${[...files].join(', ')}`);
    expect(wrong).toEqual([]);
  });
});
