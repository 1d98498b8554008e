import type { Inline } from './markdown-inline.ts';

/**
 * A block of the supported Markdown: headings, paragraphs, lists, quotes, code, tables, rules. Anything else stays plain text;
 * there is no HTML and no image, and nothing is loaded.
 */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly words: readonly Inline[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly words: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'code'; readonly info: string; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly TableCell[]; readonly rows: readonly (readonly TableCell[])[] }
  | { readonly kind: 'rule' };

/** An item of a list: its depth, its number or `•`, and its words. */
export interface ListItem {
  readonly depth: number;
  readonly marker: string;
  readonly words: readonly Inline[];
}

/** The words of one cell of a table. */
export type TableCell = readonly Inline[];
