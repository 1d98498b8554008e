/**
 * Kind of a run of lines: a heading; prose (a paragraph, a list item, a table row); code (fenced or a directive); markup (component tags
 * and their properties); meta (frontmatter, imports, comments), which no search returns.
 */
export type BlockKind = 'heading' | 'prose' | 'code' | 'markup' | 'meta';

/** A run of lines of one kind; lines are 1-based and inclusive. */
export interface DocumentBlock {
  readonly kind: BlockKind;
  readonly line: number;
  readonly endLine: number;
  /**
   * For a heading: 1 (outermost) to 6, and its text without marks; an empty text ends the section above. In code and data, the block below
   * has the line of the heading, too, because it is part of the text.
   */
  readonly heading?: { readonly level: number; readonly text: string };
}

/** A parsed document: its title, and its blocks in order (blank lines belong to no block). */
export interface ParsedDocument {
  readonly title: string;
  /** The description of the frontmatter, or an empty text. */
  readonly description: string;
  readonly blocks: readonly DocumentBlock[];
}

/**
 * Dialect of a document. `text` is parsed as Markdown without imports and frontmatter; `html` is the output of `readHtml`, in which only
 * headings are marked; `outline` is AsciiDoc, Org or LaTeX; `code` and `data` have sections by declarations and keys; `table` is CSV; `pdf` is the
 * output of `pdfToText`, in which only the title and pages are headings.
 */
export type DocumentFormat = 'markdown' | 'mdx' | 'text' | 'rst' | 'html' | 'outline' | 'code' | 'data' | 'table' | 'pdf';

/** Returns a heading as shown with hits: without tags, and at most 200 characters. */
export function cutHeading(text: string): string {
  const plain = text
    .slice(0, 1000)
    .replace(/<\/?[A-Za-z][^<>]*>/g, '')
    .trim();
  return plain.length > 200 ? `${plain.slice(0, 199)}…` : plain;
}

/** Joins the headings above a place, outermost first; sections without a text are left out. */
export function joinHeadings(path: readonly { readonly text: string }[]): string {
  return path.flatMap(({ text }) => (text === '' ? [] : [text])).join(' > ');
}
