import { describe, expect, it } from 'vitest';
import { errorOf, openTools } from './call-tool.ts';
import { makeFolder } from '../../files/temp-folder.ts';

describe('the documents toolset', () => {
  it('declares tools that may be repeated, overlap, and return untrusted text', async () => {
    const { documents } = openTools({ root: await makeFolder({ 'a.md': 'x' }), outDir: await makeFolder() });
    for (const tool of documents.tools) {
      const writes = tool.name === 'write_report';
      expect(tool).toMatchObject({
        kind: 'effect',
        concurrency: 'parallel',
        toolset: writes ? 'workspace_reports' : 'documents',
        effect: writes ? 'idempotent' : 'pure',
        trust: writes ? 'trusted' : 'untrusted',
      });
      expect(tool.parameters).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.check({}).ok).toBe(tool.name === 'list_documents');
    }
  });

  it.each([
    ['search_documents', { query: 'x', limit: 31 }, '/limit', 'from 1 to 30'],
    ['search_documents', { query: 'x', limit: 1.5 }, '/limit', 'whole number'],
    ['search_documents', { query: '' }, '/query', 'empty'],
    ['search_documents', { query: 'x'.repeat(200_001) }, '/query', 'at most'],
    ['search_documents', { query: 'x', mode: 'some' }, '/mode', 'any, all'],
    ['search_documents', { query: 'x', files: 'a.md' }, '/files', 'list of texts'],
    ['search_documents', { query: 'x', files: [] }, '/files', '1 to 200'],
    ['search_documents', { qery: 'x' }, '/qery', 'did you mean "query"?'],
    ['read_document', { file: 7 }, '/file', 'text'],
    ['read_document', {}, '/file', 'required'],
    ['read_document', { file: 'a.md', from_line: 0 }, '/from_line', 'from 1'],
    ['list_documents', { ['__proto__x']: 1 }, '/__proto__x', 'unknown parameter'],
  ])('%s refuses arguments that break its schema: %o', async (name, args, path, message) => {
    const { documents, call } = openTools({ root: await makeFolder({ 'a.md': 'x' }) });
    const check = documents.tools.find((tool) => tool.name === name)?.check(args);
    expect(check).toMatchObject({
      ok: false,
      errors: expect.arrayContaining([{ path, message: expect.stringContaining(message) }]),
    });
    expect((await errorOf(call(name, args))).code).toBe('TOOL_ARGUMENTS_INVALID');
  });

  it('stops waiting when the call is aborted, without harm to others', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}.md`, `text ${index}\n`]));
    const { call } = openTools({ root: await makeFolder(files) });
    const controller = new AbortController();
    const aborted = call('search_documents', { query: 'text' }, controller.signal);
    const other = call('search_documents', { query: 'text' });
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect(JSON.parse(await other).total_files).toBe(300);
    await expect(call('search_documents', { query: 'text' }, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });

  it('keeps every result within its limit, as whole JSON', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`f${index}.md`, `needle ${'\u0001"\\'.repeat(220)}\n`]),
    );
    const { documents, call } = openTools({ root: await makeFolder(files) });
    const limit = documents.tools[0]?.maxResultChars ?? 0;
    const text = await call('search_documents', { query: 'needle', limit: 30 });
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(JSON.parse(text).hits.length).toBeGreaterThan(5);
    expect(JSON.parse(text).note).toContain('left out');
  });
});

describe('read_document', () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index + 1}`);
  const read = async (args: { from_line?: number; to_line?: number }, text = lines.join('\r\n')): Promise<readonly string[]> => {
    const { call } = openTools({ root: await makeFolder({ 'a.md': text }) });
    return (await call('read_document', { file: 'a.md', ...args })).split('\n');
  };

  it('numbers lines, 120 when no end is given, 400 at most, and says how to go on', async () => {
    const usual = await read({});
    expect(usual.slice(0, 3)).toEqual(['a.md, lines 1-120 of 1000 (go on with from_line 121)', '1: line 1', '2: line 2']);
    expect((await read({ from_line: 10, to_line: 1000 }))[0]).toBe('a.md, lines 10-409 of 1000 (go on with from_line 410)');
    expect(await read({ from_line: 1000 })).toEqual(['a.md, lines 1000-1000 of 1000', '1000: line 1000']);
    expect((await read({ from_line: 1001 }))[0]).toContain('it has 1000 lines');
    expect((await read({ from_line: 5, to_line: 4 }))[0]).toContain('before from_line');
  });

  it('cuts overlong lines with a mark, and stops before a reading becomes too long', async () => {
    const huge = await read({}, 'x'.repeat(1_000_000));
    expect(huge[1]).toContain('[cut: this line has 1000000 characters]');
    const wide = await read({ to_line: 400 }, Array.from({ length: 400 }, () => 'y'.repeat(1900)).join('\n'));
    expect(wide[0]).toMatch(/lines 1-2\d of 400 \(go on with from_line 2\d\)/);
    expect(wide.join('\n').length).toBeLessThan(45_000);
  });
});

describe('list_documents', () => {
  const files = {
    'a.md': '# Alpha\n',
    'b/c.mdx': '---\ntitle: "Charlie"\n---\n',
    'b/d/e.txt': 'no heading\n',
    'b/f.rst': 'Foxtrot\n=======\n',
  };

  it('counts per folder and names titles', async () => {
    const { call } = openTools({ root: await makeFolder(files) });
    expect(JSON.parse(await call('list_documents', {}))).toEqual({
      folder: '',
      total_files: 4,
      folders: [
        { folder: '.', files: 1 },
        { folder: 'b', files: 2 },
        { folder: 'b/d', files: 1 },
      ],
      skipped: [],
      files: [
        { file: 'a.md', title: 'Alpha', lines: 1 },
        { file: 'b/c.mdx', title: 'Charlie', lines: 3 },
        { file: 'b/f.rst', title: 'Foxtrot', lines: 2 },
        { file: 'b/d/e.txt', title: 'e.txt', lines: 1 },
      ],
    });
    expect(JSON.parse(await call('list_documents', { folder: 'b/d/' }))).toMatchObject({ folder: 'b/d', total_files: 1 });
    expect(JSON.parse(await call('list_documents', { folder: '.', limit: 1 })).note).toContain('first 1 of 4');
  });

  it('names the folders there are for one it does not know, and refuses one outside', async () => {
    const { call } = openTools({ root: await makeFolder(files) });
    expect((await errorOf(call('list_documents', { folder: 'x' }))).message).toContain('"b/d"');
    expect((await errorOf(call('list_documents', { folder: '..' }))).code).toBe('PATH_REFUSED');
    expect((await errorOf(call('list_documents', { folder: '/etc' }))).code).toBe('PATH_REFUSED');
  });
});
