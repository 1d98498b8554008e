import { documentFormat } from './parse/document-endings.ts';
import type { DocumentLimits } from './document-limits.ts';
import { pdfProblem, readPdf } from './pdf/read-pdf.ts';
import { readBytesInside, readInside, type InsideText, type NotRead } from '../../files/read-inside.ts';

/** Least characters of a file, and characters per line, from which code or data is minified: no person wrote or reads it. */
const leastMinifiedChars = 10_000;
const minifiedLineChars = 1_000;
/** Formats that are written as one record per line, however long. */
const lineRecords = /\.(?:jsonl|ndjson|log|srt|vtt)$/i;
/** Most text of PDFs that is kept, in characters: extracting it takes long. */
const keptPdfChars = 32_000_000;
/** PDFs that are extracted at a time. */
const pdfLanes = 2;

type Read = InsideText | NotRead;

/**
 * Reads documents below a real folder as text; returns the reason when a file cannot be read, or is not text that people wrote. Keeps
 * the text of PDFs as long as they do not change.
 */
export class SourceReader {
  readonly #folder: string;
  readonly #limits: DocumentLimits;
  readonly #signal: AbortSignal;
  readonly #pdfs = new Map<string, { readonly version: string; readonly read: Read; readonly chars: number }>();
  readonly #waiting: (() => void)[] = [];
  #readingPdfs = 0;
  #keptChars = 0;

  constructor(folder: string, limits: DocumentLimits, signal: AbortSignal = new AbortController().signal) {
    this.#folder = folder;
    this.#limits = limits;
    this.#signal = signal;
  }

  async read(file: string): Promise<Read> {
    if (documentFormat(file) === 'pdf') return await this.#readPdf(file);
    const read = await readInside(this.#folder, file, this.#limits.maxFileBytes);
    if ('reason' in read || !mayBeMinified(file, read.text.length)) return read;
    const perLine = Math.round(read.text.length / (countLineBreaks(read.text) + 1));
    return perLine < minifiedLineChars ? read : { reason: `it is minified (${perLine} characters per line)`, refused: false };
  }

  /** Returns why a file is not read, as far as its beginning shows without extracting text; undefined when it seems readable. */
  async problemOf(file: string): Promise<string | undefined> {
    const isPdf = documentFormat(file) === 'pdf';
    const read = isPdf ? await readBytesInside(this.#folder, file, this.#limits.maxPdfBytes) : await this.read(file);
    if ('reason' in read) return read.reason;
    return 'bytes' in read ? pdfProblem(read.bytes) : undefined;
  }

  async #readPdf(file: string): Promise<Read> {
    await this.#pdfLane();
    try {
      return await this.#extract(file);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#readingPdfs -= 1;
      else next();
    }
  }

  /** Waits for one of the lanes in which PDFs are extracted, each in a separate process. */
  async #pdfLane(): Promise<void> {
    if (this.#readingPdfs >= pdfLanes) return await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#readingPdfs += 1;
  }

  async #extract(file: string): Promise<Read> {
    const source = await readBytesInside(this.#folder, file, this.#limits.maxPdfBytes);
    if ('reason' in source) return source;
    const { bytes, version } = source;
    const kept = this.#pdfs.get(file);
    if (kept?.version === version) return kept.read;
    const pdf = await readPdf(bytes, this.#signal);
    const read = 'reason' in pdf ? { reason: pdf.reason, refused: false } : { text: pdf.text, version };
    this.#keep(file, version, read);
    return read;
  }

  #keep(file: string, version: string, read: Read): void {
    const chars = 'text' in read ? read.text.length : 0;
    this.#forget(file);
    this.#pdfs.set(file, { version, read, chars });
    this.#keptChars += chars;
    for (const oldest of this.#pdfs.keys()) {
      if (this.#keptChars <= keptPdfChars) break;
      this.#forget(oldest);
    }
  }

  #forget(file: string): void {
    this.#keptChars -= this.#pdfs.get(file)?.chars ?? 0;
    this.#pdfs.delete(file);
  }
}

/** Returns the most bytes of a file, by its name. */
export function maxBytesOf(file: string, limits: DocumentLimits): number {
  return documentFormat(file) === 'pdf' ? limits.maxPdfBytes : limits.maxFileBytes;
}

/** True when a file may turn out not to be readable text, by its name and size: it is a PDF, or may be minified. */
export function mayBeUnreadable(file: string, size: number): boolean {
  return documentFormat(file) === 'pdf' || mayBeMinified(file, size);
}

function mayBeMinified(file: string, size: number): boolean {
  const format = documentFormat(file);
  return size >= leastMinifiedChars && (format === 'code' || format === 'data') && !lineRecords.test(file);
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
