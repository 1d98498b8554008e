import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPages, readText, root } from './read-markdown.ts';

/** Phrases of a private dialect, which a reader would have to learn first. */
const dialect =
  /\b(goes by|go by|comes to|came to|come to|whoever|whom|anew|is told|are told|told of|stands|stand in|in the place of|in its place|taken up|takes up|take up|all the same|for good|brought about|rid of|of its own|nobody|somebody|looked into|nothing of|one's own|makes of it|made of it|is at hand|at once|what is|who is|who are)\b/gi;

/** Decisions and the changelog record their day; they keep its words. */
const isDated = (file: string): boolean => file === 'CHANGELOG.md' || file.startsWith('docs/decisions/');

/** The text of a page without code and without titles of tests. */
const toPlainText = (prose: string): string => prose.replaceAll(/`[^`\n]*`(?: "[^"\n]*")?/g, '');

describe('the front door', () => {
  it('the README has at most 110 lines, and one picture', () => {
    const readme = readText('README.md');
    expect(readme.split('\n').length).toBeLessThanOrEqual(110);
    expect(readme.match(/!\[/g)).toHaveLength(1);
  });

  it('AGENTS.md is a map under 10 KB', () => {
    expect(Buffer.byteLength(readText('AGENTS.md'))).toBeLessThan(10_000);
  });

  it('pictures have at most 300 KB, since they are in the package', () => {
    const images = path.join(root, 'docs', 'images');
    const large = readdirSync(images).filter((name) => statSync(path.join(images, name)).size > 300_000);
    expect(large).toEqual([]);
  });

  it('README and AGENTS.md lead to the glossary', () => {
    expect(readText('README.md')).toContain('(docs/glossary.md)');
    expect(readText('AGENTS.md')).toContain('(docs/glossary.md)');
  });

  it('the contents list of docs/profiles.md names each of its pages', () => {
    const contents = readText('docs/profiles.md');
    const pages = readdirSync(path.join(root, 'docs', 'profiles')).map((name) => `profiles/${name}`);
    expect(pages.filter((page) => !contents.includes(`\n${page} `))).toEqual([]);
  });

  it('no page uses a phrase of the private dialect', () => {
    const found = readPages()
      .filter(({ file }) => !isDated(file))
      .flatMap(({ file, prose }) => (toPlainText(prose).match(dialect) ?? []).map((phrase) => `${file}: ${phrase}`));
    expect(found).toEqual([]);
  });
});
