import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readPages } from './read-markdown.ts';
import { runProgram, writeBlocks } from './run-typescript.ts';

const blocks = readPages().flatMap((page) => page.blocks);

it.each(blocks.filter(({ info }) => info === 'ts run').map((block) => [`${block.file}:${block.line}`, block] as const))(
  '%s runs and prints what the page says',
  async (_place, block) => {
    const { files } = await writeBlocks([block]);
    const output = blocks.find((other) => other.file === block.file && other.line > block.line && other.info === 'text output');
    expect(await runProgram(files[0] ?? '')).toBe(output?.text);
  },
);

it('file-clerk writes an index of a folder by a plan', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-file-clerk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'a.txt'), 'hello');
  const how = ['--profiles', 'examples/file-clerk', '--workspace', folder, '--store', 'memory'];
  const output = await runProgram('bin/cadre.mjs', ['run', ...how, 'Write an index']);
  expect(output).toContain('INDEX.md is written, with 1 entries.');
  expect(readFileSync(path.join(folder, 'INDEX.md'), 'utf8')).toContain('a.txt (5 bytes)');
});
