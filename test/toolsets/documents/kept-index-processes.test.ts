import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { defaultDocumentLimits } from '../../../src/toolsets/documents/document-limits.ts';
import { searchDocuments } from '../../../src/toolsets/documents/search-documents.ts';
import { DocumentIndex } from '../../../src/toolsets/documents/search/document-index.ts';

const source = new URL('../../../src/toolsets/documents/', import.meta.url).href;

async function makePlaces() {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-kept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, 'docs'));
  for (let file = 0; file < 60; file += 1) {
    const words = Array.from({ length: 400 }, (_, word) => `word${(file * 7919 + word * 31) % 5_000}`).join(' ');
    await writeFile(path.join(folder, 'docs', `page${file}.md`), `# Page ${file}\n\n${words}\n\nneedle${file}\n`);
  }
  return { root: path.join(folder, 'docs'), cacheDir: path.join(folder, 'cache') };
}

type Places = Awaited<ReturnType<typeof makePlaces>>;

/** Runs a process that builds the index, and then `then`, which knows `index`, `cacheDir` and the list of `names` there. */
async function buildElsewhere(
  { root, cacheDir }: Places,
  then: string,
): Promise<{ readonly signal: string | null; readonly out: string }> {
  const script = `
    import { readdirSync } from 'node:fs';
    const { DocumentIndex } = await import('${source}search/document-index.ts');
    const { defaultDocumentLimits } = await import('${source}document-limits.ts');
    const cacheDir = ${JSON.stringify(cacheDir)};
    const names = () => readdirSync(cacheDir);
    const now = () => Date.now() + 10_000;
    const index = await DocumentIndex.build(${JSON.stringify(root)}, defaultDocumentLimits, { cacheDir, now });
    ${then}
    await index.whenKept();
    console.log(JSON.stringify({ read: index.filesRead, files: index.stats().files }));
    await index.close();`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString('utf8')));
  return await new Promise((resolve) => child.on('close', (_, signal) => resolve({ signal, out })));
}

async function openHere({ root, cacheDir }: Places): Promise<DocumentIndex> {
  const index = await DocumentIndex.build(root, defaultDocumentLimits, { cacheDir, now: () => Date.now() + 10_000 });
  onTestFinished(() => index.close());
  await index.whenKept();
  return index;
}

it('two processes that build at once each get a whole index, and leave one', async () => {
  const places = await makePlaces();
  const built = await Promise.all([buildElsewhere(places, ''), buildElsewhere(places, ''), openHere(places)]);
  expect(built.slice(0, 2)).toEqual([
    { signal: null, out: expect.stringContaining('"files":60') },
    { signal: null, out: expect.stringContaining('"files":60') },
  ]);
  const next = await openHere(places);
  expect(next.filesRead).toBe(0);
  const { hits } = await searchDocuments(next, { query: 'needle42', limit: 3, mode: 'any' });
  expect(hits.map(({ file }) => file)).toEqual(['page42.md']);
  // Another process may have removed the newer of two; one is left, and nothing half written.
  expect((await readdir(places.cacheDir)).filter((name) => !name.endsWith('.db'))).toEqual([]);
});

it('a process that is killed while it builds leaves no file, and one killed while it keeps the index only a part, which goes later', async () => {
  const places = await makePlaces();
  const building = await buildElsewhere(
    places,
    "process.stdout.write(names().join()); process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});",
  );
  expect(building.signal).toBe('SIGKILL');
  const keeping = await buildElsewhere(
    places,
    "for (;;) { if (names().some((name) => name.endsWith('.part'))) process.kill(process.pid, 'SIGKILL'); await new Promise(setImmediate); }",
  );
  expect(keeping.signal).toBe('SIGKILL');
  const parts = (await readdir(places.cacheDir)).filter((name) => name.endsWith('.part'));
  expect(parts.length).toBeGreaterThan(0);
  const next = await openHere(places);
  expect([next.filesRead, next.stats().files]).toEqual([60, 60]);
  for (const part of parts) await utimes(path.join(places.cacheDir, part), 1, 1);
  expect((await openHere(places)).filesRead).toBe(0);
  expect(await readdir(places.cacheDir)).toEqual([expect.stringMatching(/\.db$/)]);
});
