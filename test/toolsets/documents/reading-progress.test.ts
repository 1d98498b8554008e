import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDocumentTools } from '../../../src/toolsets/documents/create-document-tools.ts';
import { defaultDocumentLimits } from '../../../src/toolsets/documents/document-limits.ts';
import { reportReading } from '../../../src/toolsets/documents/reading-progress.ts';
import { DocumentIndex } from '../../../src/toolsets/documents/search/document-index.ts';
import type { ReadingProgress } from '../../../src/toolsets/documents/search/index-documents.ts';
import { errorOf } from './call-tool.ts';

async function makeFolder(count: number): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-reading-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, 'docs'));
  for (let file = 0; file < count; file += 1)
    await writeFile(
      path.join(folder, 'docs', `${file}.md`),
      `# Page ${file}\n\n${`some words about tomatoes ${file}\n\n`.repeat(20)}`,
    );
  return folder;
}

it('tells of each file that was read, out of all that the walk found', async () => {
  const folder = await makeFolder(5);
  const heard: ReadingProgress[] = [];
  const onProgress = (progress: ReadingProgress): void => void heard.push(progress);
  const index = await DocumentIndex.build(path.join(folder, 'docs'), defaultDocumentLimits, { onProgress });
  await index.close();
  expect(heard).toEqual([0, 1, 2, 3, 4, 5].map((done) => ({ done, total: 5 })));
});

it('a call that waits for the documents reports every second how far they are', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let done = 0;
  const heard: unknown[] = [];
  const reporting = reportReading(
    () => ({ done, total: 2_000 }),
    (...report) => heard.push(report),
  );
  vi.advanceTimersByTime(999);
  expect(heard).toEqual([]);
  done = 500;
  vi.advanceTimersByTime(1);
  done = 1_500;
  vi.advanceTimersByTime(1_000);
  reporting[Symbol.dispose]();
  vi.advanceTimersByTime(5_000);
  expect(heard).toEqual([
    [0.25, 'reading documents: 500 of 2,000 files'],
    [0.75, 'reading documents: 1,500 of 2,000 files'],
  ]);
});

it('reading that was begun in the background is what the first call gets', async () => {
  const folder = await makeFolder(3);
  using tools = createDocumentTools({ root: path.join(folder, 'docs') });
  tools.begin();
  tools.begin();
  expect(tools.isRead).toBe(false);
  expect((await tools.stats()).files).toBe(3);
  expect([tools.isRead, tools.progress]).toEqual([true, undefined]);
});

it('reading in the background that fails is told to the call that needs it, as if it had not begun', async () => {
  const folder = await makeFolder(0);
  using tools = createDocumentTools({ root: path.join(folder, 'docs') });
  tools.begin();
  expect((await errorOf(tools.stats())).code).toBe('DOCS_UNREADABLE');
  await writeFile(path.join(folder, 'docs', 'a.md'), 'text\n');
  expect((await tools.stats()).files).toBe(1);
});

it('reading in the background ends when the tools are disposed of, and keeps nothing', async () => {
  const folder = await makeFolder(400);
  const cacheDir = path.join(folder, 'cache');
  const tools = createDocumentTools({ root: path.join(folder, 'docs'), cacheDir });
  tools.begin();
  await vi.waitUntil(() => (tools.progress?.done ?? 0) > 0, { interval: 1 });
  expect(tools.progress?.done).toBeLessThan(400);
  tools[Symbol.dispose]();
  await vi.waitUntil(() => tools.progress === undefined, { interval: 1 });
  expect((await errorOf(tools.stats())).code).toBe('ENGINE_CLOSED');
  expect(await readdir(cacheDir)).toEqual([]);
});

it('an index that a call has used is kept although the tools are disposed of at once', async () => {
  const folder = await makeFolder(60);
  const cacheDir = path.join(folder, 'cache');
  const tools = createDocumentTools({ root: path.join(folder, 'docs'), cacheDir });
  await tools.index();
  tools[Symbol.dispose]();
  await expect.poll(async () => (await readdir(cacheDir)).map((name) => path.extname(name))).toEqual(['.db']);
});
