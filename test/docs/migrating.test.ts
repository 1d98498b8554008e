import { describe, expect, it } from 'vitest';
import { agentRoots } from '../../src/core/expression/agent-roots.ts';
import { convertFiles } from '../../src/compat/commonground/convert-tree.ts';
import { newIngestor, newTool, newToolset } from '../../src/compat/commonground/names.ts';
import { convertCondition } from '../../src/compat/python/convert-condition.ts';
import { checkProfiles } from '../../src/profiles/load-profiles.ts';
import { readPage } from './read-markdown.ts';

const page = readPage('docs/migrating.md');

describe('docs/migrating.md', () => {
  const before = page.blocks.filter(({ info }) => info === 'yaml commonground');

  it('shows a profile before and after', () => {
    expect(before.length).toBeGreaterThan(0);
  });

  it.each(before.map((block) => [block.line, block] as const))(
    'the file in line %i becomes the one below it',
    async (line, block) => {
      const after = page.blocks.find((other) => other.line > line);
      const { files, findings } = convertFiles([{ path: 'profiles/Block.yaml', text: block.text }]);
      expect(files[0]?.text).toBe(after?.text);
      expect(findings.filter(({ kind }) => kind === 'not_converted')).toEqual([]);
      const { diagnostics } = await checkProfiles({ files: files.map(({ path, text }) => ({ path, text })) }, { env: {} });
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    },
  );

  const conditions = page.blocks
    .filter(({ info }) => info === 'text conditions')
    .flatMap(({ text }) => text.trim().split(/\n(?! )/))
    .map((pair) => pair.split(/\n {2}→ /) as [string, string]);

  it.each(conditions)('the condition %s becomes %s', (source, text) => {
    const ownState = new Set(['flags.silent', 'flags.plan', 'flags.answer', 'flags.n', 'flags.done']);
    const converted = convertCondition(source, { phase: 'before_reply', roots: agentRoots, ownState });
    expect(converted).toEqual({ ok: true, text, notes: [] });
  });

  it('the names of the table are those of the converter', () => {
    const rows = page.prose.split('\n').filter((line) => /^\| .*(?:Tool|web_search|write_file|rag_query)/.test(line));
    const words = (cell: string | undefined): readonly string[] =>
      [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    const pairs = rows.flatMap((row) => {
      const [, there, here] = row.split('|');
      const news = words(here);
      return words(there).map((name, at) => [name, news[at] ?? ''] as const);
    });
    expect(pairs.length).toBeGreaterThan(10);
    expect(pairs.map(([name]) => [name, (newTool(name) ?? newToolset(name))?.name])).toEqual(pairs.map(([name, to]) => [name, to]));
    expect(newIngestor('work_modules_ingestor')).toBe('work_modules');
  });
});
