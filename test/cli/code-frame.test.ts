import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { codeFrame } from '../../src/cli/commands/validate.ts';

function fileWith(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-frame-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'a.yaml');
  writeFileSync(file, text);
  return file;
}

it('F29: a code frame shows the line and marks the place', () => {
  const file = fileWith('name: A\nlimits: { max_turns: no }\r\n');
  expect(codeFrame(file, { line: 2, column: 22 })).toBe('  2 | limits: { max_turns: no }\n    |                      ^');
});

it('F29: a frame has no control characters, no tabs and no endless lines; a line that does not exist has none', () => {
  const file = fileWith(`\tinstructions: \u001B[2J${'x'.repeat(5_000)}\n`);
  const frame = codeFrame(file, { line: 1, column: 17 }) ?? '';
  expect(frame).not.toMatch(/[\p{Cc}--\n]/v);
  expect(frame.length).toBeLessThan(400);
  expect(codeFrame(file, { line: 9, column: 1 })).toBeUndefined();
  expect(codeFrame(path.join(file, 'gone'), { line: 1, column: 1 })).toBeUndefined();
});
