import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyHunk, parsePatch } from '../simulation/patch.ts';
import { requirements } from '../requirements.ts';
import { readRemoval, removals } from './removals.ts';

const names = await removals();
const root = path.resolve(import.meta.dirname, '../..');
const known = new Set(requirements.filter(({ status }) => status === 'verified').map(({ id }) => id));

describe('the patches that remove the mechanisms of rows', () => {
  it('are there for every group of A1, and for D1', async () => {
    const rows = (await Promise.all(names.map(readRemoval))).flatMap((removal) => removal.rows);
    const groups = new Set(rows.map((row) => row.slice(0, row.lastIndexOf('.'))));
    const wanted = [...known].map((row) => row.slice(0, row.lastIndexOf('.'))).filter((group) => /^(A1\.\d+|D1)$/.test(group));
    expect([...new Set(wanted)].filter((group) => !groups.has(group))).toEqual([]);
  });

  it.each(names)('%s fits the source, and names rows there are', async (name) => {
    const { rows, text } = await readRemoval(name);
    expect(rows.filter((row) => !known.has(row))).toEqual([]);
    const hunks = parsePatch(text);
    expect(hunks.length).toBeGreaterThan(0);
    for (const hunk of hunks) applyHunk(await readFile(path.join(root, hunk.file), 'utf8'), hunk);
  });
});
