/**
 * What a run of lines is: a heading; prose (a paragraph, a list item, a table row); code (fenced or a directive);
 * markup (component tags and their properties); meta (frontmatter, imports, comments), which no search ever returns.
 */
export type BlockKind = 'heading' | 'prose' | 'code' | 'markup' | 'meta';

/** A run of lines of one kind; lines are 1-based and inclusive. */
export interface DocumentBlock {
  readonly kind: BlockKind;
  readonly line: number;
  readonly endLine: number;
  /** Of a heading: 1 (outermost) to 6, and its text without marks. */
  readonly heading?: { readonly level: number; readonly text: string };
}

/** A document taken apart: its title, and its blocks in order (blank lines are in no block). */
export interface ParsedDocument {
  readonly title: string;
  /** The description of the frontmatter, or an empty text. */
  readonly description: string;
  readonly blocks: readonly DocumentBlock[];
}

/**
 * The dialect of a document. `text` is read as Markdown without imports and frontmatter; of `html`, the text that `readHtml` gives is read, in
 * which only headings are marked.
 */
export type DocumentFormat = 'markdown' | 'mdx' | 'text' | 'rst' | 'html';

/** The dialect that a file name stands for. */
export function documentFormat(file: string): DocumentFormat {
  const lower = file.toLowerCase();
  if (lower.endsWith('.mdx')) return 'mdx';
  if (lower.endsWith('.rst')) return 'rst';
  if (/\.x?html?$/.test(lower)) return 'html';
  return /\.(?:md|markdown)$/.test(lower) ? 'markdown' : 'text';
}

/** A heading as it is shown with hits: without tags, and never longer than 200 characters. */
export function cutHeading(text: string): string {
  const plain = text
    .slice(0, 1000)
    .replace(/<\/?[A-Za-z][^<>]*>/g, '')
    .trim();
  return plain.length > 200 ? `${plain.slice(0, 199)}…` : plain;
}
