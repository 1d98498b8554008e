import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Run } from '../../src/index.ts';

/** The journal of a run as text: one event per line. */
export async function journalText(run: Run): Promise<string> {
  const lines: string[] = [];
  for await (const event of run) lines.push(JSON.stringify(event));
  return `${lines.join('\n')}\n`;
}

/** Holds a text against the file of this name beside this one, byte for byte; `UPDATE_GOLDEN=1` writes it anew. */
export function expectGolden(name: string, now: string): void {
  const file = path.join(import.meta.dirname, name);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, now);
  expect(now).toBe(readFileSync(file, 'utf8'));
}
