import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createReadingLine } from '../../src/cli/progress/reading-line.ts';
import { documentCache } from '../../src/cli/options/store-path.ts';
import { isEngineMail, rememberJournal } from '../../src/files/guard/engine-places.ts';
import { runCli, startForTest, starterFolder, temporaryFolder } from './cli-process.ts';

const question = ['run', 'How do I water tomatoes?', '--docs', 'docs', '--profile', 'Lead'];

it('the index of documents is kept beside the journal, in files of the user alone, and used by the next run', async () => {
  const cwd = await starterFolder();
  const first = await runCli(question, { cwd });
  expect([first.code, first.err]).toEqual([0, expect.not.stringContaining('reading documents')]);
  const folder = path.join(cwd, '.cadre', 'documents');
  const [kept = ''] = await readdir(folder);
  expect([(await stat(folder)).mode & 0o777, (await stat(path.join(folder, kept))).mode & 0o777]).toEqual([0o700, 0o600]);
  const second = await runCli(question, { cwd });
  expect([second.code, second.out.replace(/run_\w+/g, '')]).toEqual([0, first.out.replace(/run_\w+/g, '')]);
  expect(await readdir(folder)).toHaveLength(1);
});

it('an interruption ends the reading, and the resumed run makes the calls again that waited for it', async () => {
  const cwd = await starterFolder();
  const words = 'How do I water tomatoes in a garden of many words, and when? '.repeat(1_000);
  // Enough for seconds of reading on a fast machine.
  for (let file = 0; file < 3_000; file += 1)
    await writeFile(path.join(cwd, 'docs', `page${file}.md`), `# Page ${file}\n\n${words}\n`);
  const running = startForTest(question, { cwd });
  await running.until('reading documents: ');
  running.child.kill('SIGINT');
  const { code, err } = await running.finished;
  expect([code, err]).toEqual([130, expect.not.stringContaining('may still finish')]);
  expect(err).toMatch(/reading documents: [\d,]+ of 3,0\d\d files/);
  expect(await readdir(path.join(cwd, '.cadre', 'documents'))).toEqual([]);
  const resumed = await runCli(['resume', 'last'], { cwd });
  expect(resumed.code).toBe(0);
  expect((await runCli(['turns', 'last'], { cwd })).out).not.toContain('ENGINE_CLOSED');
});

it('a journal in memory keeps no index', async () => {
  const cwd = await starterFolder();
  expect((await runCli([...question, '--store', 'memory'], { cwd })).code).toBe(0);
  expect(await readdir(path.join(cwd, '.cadre')).catch(() => [])).not.toContain('documents');
  expect(documentCache('memory')).toBeUndefined();
});

it('beside a journal elsewhere, the folder has a hidden name: a folder documents there may be the user’s', async () => {
  const cwd = await starterFolder();
  await mkdir(path.join(cwd, 'documents'));
  expect((await runCli([...question, '--store', 'team.db'], { cwd })).code).toBe(0);
  expect(await readdir(path.join(cwd, 'documents'))).toEqual([]);
  expect(await readdir(path.join(cwd, '.cadre-documents'))).toHaveLength(1);
});

it('no tool may write where indexes are kept', async () => {
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, 'team.db'), '');
  rememberJournal(path.join(folder, 'team.db'));
  expect(isEngineMail(path.join(folder, '.cadre-documents', 'x.db'))).toBe(true);
  expect(isEngineMail(path.join(folder, 'documents', 'x.db'))).toBe(false);
});

it('the reading of documents is shown once it takes longer than a moment', () => {
  let [now, done] = [0, 0];
  let isReading = true;
  const line = createReadingLine(
    () => (isReading ? { done, total: 3_288 } : undefined),
    () => now,
  );
  expect(line()).toBeUndefined();
  [now, done] = [999, 500];
  expect(line()).toBeUndefined();
  [now, done] = [1_000, 1_200];
  expect(line()).toBe('reading documents: 1,200 of 3,288 files');
  isReading = false;
  expect(line()).toBeUndefined();
  isReading = true;
  expect(line()).toBeUndefined();
});
