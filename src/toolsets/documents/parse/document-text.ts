import type { DocumentBlock } from './document-block.ts';
import { documentFormat } from './document-endings.ts';
import { readHtml } from './html-text.ts';
import { parseDocument } from './parse-document.ts';
import { splitLines } from '../../files/text-lines.ts';

/** A document as it is on disk now. */
export interface OpenDocument {
  readonly file: string;
  readonly title: string;
  readonly lines: readonly string[];
  readonly blocks: readonly DocumentBlock[];
  /** Explanation when the lines differ from those of the file. */
  readonly note?: string;
}

/** A document with the parts only the index needs. */
export interface ReadDocument extends OpenDocument {
  readonly description: string;
}

/** Parses the text of a file; for HTML, the text that people read; for PDF, the text that `readPdf` extracts. */
export function toDocument(file: string, raw: string): ReadDocument {
  if (documentFormat(file) === 'pdf')
    return { file, ...partsOf(file, raw), note: 'the text of the PDF, with line numbers of its own' };
  if (documentFormat(file) !== 'html') return { file, ...partsOf(file, raw) };
  const { text, keepsLines } = readHtml(raw);
  const note = keepsLines ? 'the text of HTML' : 'the text of HTML, with line numbers of its own';
  return { file, ...partsOf(file, text), note };
}

function partsOf(file: string, text: string): Omit<ReadDocument, 'file' | 'note'> {
  const lines = splitLines(text);
  return { lines, ...parseDocument(file, lines) };
}
