import { crc32 } from 'node:zlib';

/** A text as it is stored: in one of the two columns. */
export interface StoredText {
  readonly text: string | null;
  /** UTF-16, for a text that PostgreSQL cannot hold. */
  readonly raw: Buffer | null;
}

/** Returns a text for its columns. UTF-8 cannot hold lone surrogates, and PostgreSQL's texts no NUL. */
export function storedText(text: string): StoredText {
  const isPlain = text.isWellFormed() && !text.includes('\0');
  return isPlain ? { text, raw: null } : { text: null, raw: Buffer.from(text, 'utf16le') };
}

/** Computes the checksum of a stored text. */
export function contentSum({ text, raw }: StoredText): number {
  return crc32(raw ?? text ?? '');
}

/** Returns the text that was stored. */
export function readText({ text, raw }: StoredText): string {
  return raw === null ? (text ?? '') : raw.toString('utf16le');
}
