import type { DocumentBlock } from './document-block.ts';
import { documentFormat } from './document-endings.ts';
import { readHtmlInSteps } from './html-text.ts';
import { parseInSteps } from './parse-document.ts';
import { runAtOnce, type Steps } from './steps.ts';
import { splitLines } from '../../../files/text-lines.ts';

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
  return runAtOnce(toDocumentInSteps(file, raw));
}

/** Does the same as `toDocument`, in steps. */
export function* toDocumentInSteps(file: string, raw: string): Steps<ReadDocument> {
  if (documentFormat(file) === 'pdf')
    return { file, ...(yield* partsOf(file, raw)), note: 'the text of the PDF, with line numbers of its own' };
  if (documentFormat(file) !== 'html') return { file, ...(yield* partsOf(file, raw)) };
  const { text, keepsLines } = yield* readHtmlInSteps(raw);
  const note = keepsLines ? 'the text of HTML' : 'the text of HTML, with line numbers of its own';
  return { file, ...(yield* partsOf(file, text)), note };
}

function* partsOf(file: string, text: string): Steps<Omit<ReadDocument, 'file' | 'note'>> {
  const lines = splitLines(text);
  yield;
  return { lines, ...(yield* parseInSteps(file, lines)) };
}
