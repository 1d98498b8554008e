import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, starterFolder } from './cli-process.ts';

it('a run is exported, imported elsewhere, shown as what it is, and does not go on there', async () => {
  const cwd = await starterFolder();
  const key = `sk-${'Ab1'.repeat(10)}`;
  await writeFile(path.join(cwd, 'docs', 'keys.md'), `# Tomatoes\n\nWater tomatoes with ${key}.\n`);
  const cli = async (...words: readonly string[]) => await runCli(words, { cwd, env: { HOME: cwd } });
  expect((await cli('run', '--docs', 'docs', '--quiet', `How do I water tomatoes with ${key}?`)).code).toBe(0);
  const exported = await cli('export', 'last', '-o', 'run.json');
  expect(exported).toMatchObject({
    code: 0,
    out: 'run.json\n',
    err: expect.stringMatching(/^Replaced: .*\d+ × API key.* in \d+ events \(1, /),
  });
  expect(exported.err).not.toContain(key);
  const text = await readFile(path.join(cwd, 'run.json'), 'utf8');
  expect(text).toContain('[secret]');
  expect(text).not.toContain(key);
  const imported = await cli('import', 'run.json', '--store', 'theirs.db', '--json');
  expect(imported.code, imported.err).toBe(0);
  const { runId } = JSON.parse(imported.out) as { runId: string };
  expect(await cli('import', 'run.json', '--store', 'theirs.db')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--as-new'),
  });
  const shown = await cli('show', runId, '--store', 'theirs.db');
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('from run.json: to be looked at, it never goes on') });
  expect(await cli('tail', 'last', '--lines', '1', '--store', 'theirs.db')).toMatchObject({ code: 0 });
  const resumed = await cli('resume', runId, '--store', 'theirs.db');
  expect(resumed).toMatchObject({ code: 2, err: expect.stringContaining('was imported from run.json') });
  expect(await cli('export', 'last', '-o', 'run.txt')).toMatchObject({ code: 2, err: expect.stringContaining('.html is a page') });
});
