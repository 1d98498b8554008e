import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkDocumentRoot } from '../../../src/toolsets/documents/check-document-root.ts';
import { describeLeftOut } from '../../../src/toolsets/documents/left-out.ts';
import { readPdf } from '../../../src/toolsets/documents/pdf/read-pdf.ts';
import { defaultDocumentLimits } from '../../../src/toolsets/documents/document-limits.ts';
import { SourceReader } from '../../../src/toolsets/documents/read-source.ts';
import { searchDocuments } from '../../../src/toolsets/documents/search-documents.ts';
import { DocumentIndex } from '../../../src/toolsets/documents/search/document-index.ts';
import { surveyDocuments } from '../../../src/toolsets/documents/survey-documents.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';
import { watchChildren } from '../../tools/watch-children.ts';
import { errorOf, openTools } from './call-tool.ts';
import { makeBomb, makePdf } from './make-pdf.ts';

const manual = makePdf({
  title: 'Pump (manual)',
  pages: [['Safety first'], [], ['Turn the blue valve', 'before you start.', '', '# Page 9', 'Then wait.']],
});

/** Returns how many processes this one has started that run a program. */
function countChildren(program: string): number {
  const tasks = readdirSync('/proc/self/task').map((task) => `/proc/self/task/${task}/children`);
  const pids = tasks.flatMap((file) => textOf(file).split(' ').filter(Boolean));
  return pids.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(program)).length;
}

/** Returns the text of a file about a process; none when that is over. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const live = (): AbortSignal => new AbortController().signal;

describe('PDF as documents', () => {
  it('F33: is searched and quoted by page, on lines of its own', async () => {
    const root = await makeFolder({ 'manual.pdf': manual, 'guide.md': '# Guide\n\nOther text.\n' });
    expect(await checkDocumentRoot(join(root, 'manual.pdf'))).toBe(join(root, 'manual.pdf'));
    const { call } = openTools({ root });
    const { hits } = JSON.parse(await call('search_documents', { query: 'blue valve' }));
    expect(hits[0]).toMatchObject({ file: 'manual.pdf', heading: 'Pump (manual) > Page 3', line: 7 });
    expect(await call('read_document', { file: 'manual.pdf' })).toBe(
      [
        'manual.pdf, lines 1-11 of 11 (the text of the PDF, with line numbers of its own)',
        '1: # Pump (manual)',
        '2: ',
        '3: ## Page 1',
        '4: Safety first',
        '5: ',
        '6: ## Page 3',
        '7: Turn the blue valve',
        '8: before you start.',
        '9: ',
        '10:     # Page 9',
        '11: Then wait.',
      ].join('\n'),
    );
    const files = JSON.parse(await call('list_documents', {})).files;
    expect(files).toMatchObject([{ file: 'guide.md' }, { file: 'manual.pdf', title: 'Pump (manual)', lines: 11 }]);
    const report = '> Turn the blue valve before you start.\n> — manual.pdf:7-8\n\n"Turn the red valve" (manual.pdf:7)\n';
    expect(JSON.parse(await call('check_citations', { text: report }))).toMatchObject({ total: 2, ok: 1 });
    await putFile(root, 'manual.pdf', makePdf({ pages: [['Turn the green valve']] }));
    expect(await call('read_document', { file: 'manual.pdf' })).toContain('\n1: ## Page 1\n2: Turn the green valve');
    expect(JSON.parse(await call('list_documents', {})).files).toMatchObject([{}, { title: 'manual.pdf' }]);
  });

  it('F33: unreadable ones are left out with their reason, counted by kind', async () => {
    const root = await makeFolder({
      'a.md': 'text\n',
      'broken.pdf': '%PDF-1.7',
      'cut.pdf': manual.subarray(0, 200),
      'huge.pdf': new Uint8Array(20_000_001),
      'locked.pdf': makePdf({ pages: [['hidden']], encrypted: true }),
      'long.pdf': makePdf({ pages: Array.from({ length: 2_001 }, () => ['x']) }),
      'scan.pdf': makePdf({ pages: [[], []] }),
    });
    const { call, documents } = openTools({ root });
    const { skipped, files, leftOut } = await documents.stats();
    expect(files).toBe(1);
    expect(Object.fromEntries(skipped.map(({ file, reason }) => [file, reason]))).toEqual({
      'broken.pdf': 'the PDF is damaged',
      'cut.pdf': 'the PDF is damaged',
      'huge.pdf': 'it is larger than 20000000 bytes (20000001)',
      'locked.pdf': 'the PDF is encrypted and needs a password',
      'long.pdf': 'the PDF has more than 2000 pages',
      'scan.pdf': 'the PDF has no text, as a scan has',
    });
    const said = '2 damaged PDF, 1 PDF without text, 1 beyond the limits, 1 encrypted PDF, 1 too large';
    expect(describeLeftOut(leftOut)).toBe(said);
    expect(JSON.parse(await call('list_documents', {})).note).toBe(`Not read: ${said}.`);
    expect((await errorOf(call('read_document', { file: 'scan.pdf' }))).message).toContain('was left out: the PDF has no text');
    // Before anything is opened, only what shows at once is counted.
    expect(describeLeftOut(await surveyDocuments(root))).toBe('1 damaged PDF, 1 too large');
    expect((await errorOf(checkDocumentRoot(join(root, 'scan.pdf')))).message).toContain('the PDF has no text');
  });

  it('hostile ones end at a limit, and the process goes on', { timeout: 60_000 }, async () => {
    let bomb;
    const { peakMb, left } = await watchChildren(async () => (bomb = await readPdf(makeBomb(200), live(), 55_000)));
    expect(bomb).toEqual({ reason: 'the PDF needed more than 1024 MB of memory and was stopped' });
    expect(peakMb).toBeLessThan(1_024 + 200);
    expect(left).toEqual([]);
    expect(await readPdf(manual, live(), 1)).toEqual({ reason: 'the PDF took longer than 0.001 s and was stopped' });
    const ring = Buffer.from(manual).toString('latin1').replace('/Kids [4 0 R', '/Kids [2 0 R');
    expect(await readPdf(Buffer.from(ring, 'latin1'), live())).toEqual({ reason: 'the PDF is damaged' });
    expect(await readPdf(Buffer.from(manual), live())).toHaveProperty('text');
    const stop = new AbortController();
    const reading = readPdf(manual, stop.signal);
    stop.abort(new Error('stopped by the test'));
    await expect(reading).rejects.toThrow('stopped by the test');
  });

  it('several are extracted at a time, but no more than two', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `manual${index}.pdf`);
    const root = await makeFolder(Object.fromEntries(names.map((name) => [name, manual])));
    const reader = new SourceReader(root, defaultDocumentLimits);
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, countChildren('pdf-worker'))), 5);
    const read = await Promise.all(names.map((name) => reader.read(name)));
    clearInterval(timer);
    expect(read.map((each) => 'text' in each)).toEqual(names.map(() => true));
    expect(most).toBe(2);
  });

  it('an unchanged one is not extracted again for the index of the next process', async () => {
    const root = await makeFolder({ 'manual.pdf': manual, 'scan.pdf': makePdf({ pages: [[]] }), 'a.md': 'text\n' });
    const build = async (): Promise<DocumentIndex> => {
      const cacheDir = join(root, '.cache');
      const index = await DocumentIndex.build(root, defaultDocumentLimits, { cacheDir, now: () => Date.now() + 10_000 });
      onTestFinished(() => index.close());
      await index.whenKept();
      return index;
    };
    const [first, second] = [await build(), await build()];
    expect([first.filesRead, second.filesRead]).toEqual([3, 0]);
    expect(second.stats()).toEqual(first.stats());
    const { hits } = await searchDocuments(second, { query: 'valve', limit: 1, mode: 'any' });
    expect(hits.map(({ file }) => file)).toEqual(['manual.pdf']);
  });

  it('without the package, they are left out with the command that installs it', async () => {
    const root = await makeFolder({ 'manual.pdf': manual, 'a.md': 'text\n' });
    const source = new URL('../../../src/toolsets/documents/', import.meta.url).href;
    const script = `
      import { registerHooks } from 'node:module';
      registerHooks({ resolve: (name, context, next) => {
        if (name === 'unpdf') throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' });
        return next(name, context);
      } });
      const { createDocumentTools } = await import('${source}create-document-tools.ts');
      const { surveyDocuments } = await import('${source}survey-documents.ts');
      const tools = createDocumentTools({ root: ${JSON.stringify(root)} });
      console.log(JSON.stringify([await tools.stats(), await surveyDocuments(${JSON.stringify(root)})]));
      tools[Symbol.dispose]();`;
    const output = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { encoding: 'utf8' });
    const [stats, survey] = JSON.parse(output);
    expect(stats).toMatchObject({ files: 1, leftOut: [{ kind: '.pdf (npm install unpdf)', files: 1 }] });
    expect(stats.skipped[0].reason).toBe('PDF needs the package unpdf, which is not installed (npm install unpdf)');
    expect(survey).toEqual(stats.leftOut);
  });
});
