import { importPackage } from '../../../tools/import-package.ts';
import { encryptedPdf, longPdf, maxPdfChars, maxPdfPages, scannedPdf, damagedPdf } from './pdf-limits.ts';

/** Text of a PDF, or the reason why it has none to read. */
export type PdfText = { readonly text: string } | { readonly reason: string };

/** The parts of a text item of pdf.js used here; marks of structure have no `str`. */
interface TextItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
  readonly height?: number;
  readonly transform?: readonly number[];
}

/**
 * Extracts the text of a PDF: its title as a heading, and each page with text under the heading `Page <n>`, counted from 1. Lines are
 * those of the layout; a wider gap between lines is an empty line. Runs no scripts of the PDF.
 *
 * @throws CadreError `DEPENDENCY_MISSING` when the package `unpdf` is not installed
 */
export async function pdfToText(bytes: Uint8Array): Promise<PdfText> {
  const { getDocumentProxy } = await importPackage(() => import('unpdf'), 'Reading PDF', ['unpdf']);
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    pdf = await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false, enableXfa: false });
  } catch (thrown) {
    // pdf.js reports every document that it cannot open by the name of the error.
    return { reason: thrown instanceof Error && thrown.name === 'PasswordException' ? encryptedPdf : damagedPdf };
  }
  if (pdf.numPages > maxPdfPages) return { reason: longPdf('pages', maxPdfPages) };
  const pages: string[] = [];
  let length = 0;
  try {
    for (let page = 1; page <= pdf.numPages; page += 1) {
      const { items } = await (await pdf.getPage(page)).getTextContent();
      const text = pageText(items as readonly TextItem[]);
      if (text === '') continue;
      pages.push(`## Page ${page}\n${text}`);
      length += text.length;
      if (length > maxPdfChars) return { reason: longPdf('characters of text', maxPdfChars) };
    }
  } catch {
    return { reason: damagedPdf };
  }
  if (pages.length === 0) return { reason: scannedPdf };
  const title = await titleOf(pdf);
  return { text: `${[...(title === '' ? [] : [`# ${title}`]), ...pages].join('\n\n')}\n` };
}

async function titleOf(pdf: { getMetadata(): Promise<{ readonly info: object }> }): Promise<string> {
  // Metadata may be damaged although the pages are not; a title is only nice to have.
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const title: unknown = 'Title' in info ? info.Title : undefined;
  return typeof title === 'string' ? plain(title).replace(/\s+/g, ' ').trim().slice(0, 200) : '';
}

function pageText(items: readonly TextItem[]): string {
  const pieces: string[] = [];
  let lineAt: number | undefined;
  let isNew = true;
  for (const { str, hasEOL, height = 0, transform } of items) {
    if (str === undefined) continue;
    if (isNew && str.trim() !== '') {
      const at = transform?.[5];
      if (at !== undefined && lineAt !== undefined && height > 0 && Math.abs(lineAt - at) > 1.8 * height) pieces.push('\n');
      lineAt = at;
      isNew = false;
    }
    pieces.push(str, hasEOL === true ? '\n' : '');
    if (hasEOL === true) isNew = true;
  }
  return (
    plain(pieces.join(''))
      .split('\n')
      .map((line) => line.trimEnd())
      // Only pages are headings of the text.
      .map((line) => (/^\s*#/.test(line) ? `    ${line.trimStart()}` : line))
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .replace(/^\n+|\n+$/g, '')
  );
}

/** Replaces control characters, which PDFs use for unknown glyphs. */
function plain(text: string): string {
  return text.replace(/\r\n?|\u2028|\u2029/g, '\n').replace(/[^\P{Cc}\n\t]/gu, ' ');
}
