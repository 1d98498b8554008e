import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readPage, readPages, root } from './read-markdown.ts';

describe('F34: the docs an npm user has', () => {
  it('are in the package, every page', () => {
    const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' });
    const [packed] = Object.values(
      JSON.parse(said) as Readonly<Record<string, { readonly files: readonly { readonly path: string }[] }>>,
    );
    const files = new Set(packed?.files.map(({ path }) => path));
    const pages = readPages()
      .map(({ file }) => file)
      .filter((file) => file.startsWith('docs/'));
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((file) => !files.has(file))).toEqual([]);
  });

  it.each(['createEngine', 'defineTool', 'defineObserver', 'defineIngestor', 'Run'])(
    'describe %s under a heading of its own',
    (name) => {
      const headings = readPage('docs/api.md')
        .prose.split('\n')
        .filter((line) => line.startsWith('#'));
      expect(headings.some((line) => new RegExp(`\\b${name}\\b`).test(line))).toBe(true);
    },
  );
});
