import path from 'node:path';
import type { JsonObject } from '../../core/json.ts';

const ofExtension: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.html': 'text/html',
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

const signatures: readonly (readonly [string, number, string])[] = [
  ['89504e470d0a1a0a', 0, 'image/png'],
  ['ffd8ff', 0, 'image/jpeg'],
  ['47494638', 0, 'image/gif'],
  ['57454250', 8, 'image/webp'],
  ['255044462d', 0, 'application/pdf'],
];

/** Returns the media type of a file: by its first bytes, else its name, else by whether it reads as text. */
export function mediaTypeOf(bytes: Uint8Array, filename: string): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  const signed = signatures.find(([signature, at]) => start.startsWith(signature, at * 2));
  const media = signed?.[2] ?? ofExtension[path.extname(filename).toLowerCase()];
  return media ?? (decode(bytes) === undefined ? 'application/octet-stream' : 'text/plain');
}

/** Returns a file as a part of a message: text files as text, so that records show them; others in base64. */
export function filePartOf(bytes: Uint8Array, mediaType: string, filename: string | undefined): JsonObject {
  const text = /^text\/|^application\/json$|\+xml$/.test(mediaType) ? decode(bytes) : undefined;
  const data = text === undefined ? { type: 'data', data: Buffer.from(bytes).toString('base64') } : { type: 'text', text };
  return { type: 'file', mediaType, data, ...(filename !== undefined && { filename }) };
}

/** Returns a link as a part of a message; without a stated media type, its extension decides. */
export function linkPart(url: string, wanted: { readonly mediaType?: string; readonly filename?: string }): JsonObject {
  const { pathname } = new URL(url);
  const mediaType = wanted.mediaType ?? ofExtension[path.extname(pathname).toLowerCase()] ?? 'image/*';
  return {
    type: 'file',
    mediaType,
    data: { type: 'url', url },
    ...(wanted.filename !== undefined && { filename: wanted.filename }),
  };
}

function decode(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8_000).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Invalid UTF-8 is not text.
    return undefined;
  }
}
