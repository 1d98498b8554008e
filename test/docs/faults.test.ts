import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultRows } from './fault-rows.ts';
import { readText, root } from './read-markdown.ts';

const rows = faultRows();

describe('docs/faults.md', () => {
  it('names a test in each row', () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  it('names files that exist and titles that are in them', () => {
    const named = rows.flatMap(({ tests }) => tests);
    const missing = named.filter(({ file, words }) => !existsSync(path.join(root, file)) || !readText(file).includes(words));
    expect(missing).toEqual([]);
  });
});
