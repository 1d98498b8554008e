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
  for (const title of text.matchAll(/\(\s*(['"`])((?:\[[A-D]\d*(?:\.[\w-]+)+\] ?)+)/g)) {
    for (const tag of (title[2] ?? '').matchAll(/\[([^\]]+)\]/g))
      cited.set(tag[1] ?? '', (cited.get(tag[1] ?? '') ?? new Set()).add(file));
  }
}

const known = new Map(requirements.map((requirement) => [requirement.id, requirement]));
const left = requirements.filter(({ status }) => status === 'later');

/** How many rows of each system are left out. To be lowered with each row that is verified, and raised only where a row is split. */
const mostLeft = { A1: 3, A2: 5, A3: 1, A4: 0, A5: 2, B: 2, D1: 0 };

/** The share of all rows but faults that may be left out. None of them may be a core row of the merged list. */
const mostOfAll = 0.05;

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

  it('that are left out are few, and none of them is core', () => {
    const counts = Object.fromEntries(Object.keys(mostLeft).map((system) => [system, leftOf(system).length]));
    expect(counts, table()).toEqual(mostLeft);
    expect(
      left.filter(({ weight }) => weight === 'C'),
      table(),
    ).toEqual([]);
    expect(left.length / asked().length, table()).toBeLessThanOrEqual(mostOfAll);
  });

  it('include all 98 rows of the merged list', () => {
    const merged = requirements.filter(({ weight }) => weight !== undefined);
    expect(merged.map(({ id }) => id)).toEqual(Array.from({ length: 98 }, (_, index) => `B.${index + 1}`));
    expect(['C', 'I', 'N'].map((weight) => merged.filter((row) => row.weight === weight).length)).toEqual([68, 21, 9]);
  });
});

function systemOf(id: string): string {
  return /^[A-D]\d*/.exec(id)?.[0] ?? '';
}

function leftOf(system: string): readonly string[] {
  return left.filter(({ id }) => systemOf(id) === system).map(({ id }) => id);
}

/** The rows that a share of is allowed to be left out: faults of the original are no part of it. */
function asked(): typeof requirements {
  return requirements.filter(({ id }) => systemOf(id) !== 'D1');
}

/** The totals in words: what is verified and what is left, by table. Faults are no part of the share that may be left out. */
function table(): string {
  const tables = Map.groupBy(requirements, ({ id, section }) => `${id.slice(0, id.lastIndexOf('.'))} ${section}`);
  const lines = [...tables].map(([name, rows]) => {
    const ids = rows.filter(({ status }) => status === 'later').map(({ id }) => id);
    return `${name}: ${rows.length - ids.length} of ${rows.length} verified; left: ${ids.join(' ') || 'none'}`;
  });
  const core = left.filter(({ weight }) => weight === 'C').map(({ id }) => id);
  const share = `${left.length} of ${asked().length} are left; at most ${Math.floor(asked().length * mostOfAll)} may be`;
  return ['', ...lines, share, `core rows left: ${core.join(' ') || 'none'}`].join('\n');
}
