/** Form in which a model sees a body. */
export type PageForm = 'html' | 'text' | 'file' | 'refused';

const fileTypes: ReadonlySet<string> = new Set(['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const textTypes = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-ndjson|ld\+json|x-sh|sql)\b)/;

/** Returns the media type of a body, without its parameters; guessed from its first bytes when the server's type is missing or generic. */
export function mediaTypeOf(contentType: string | undefined, body: Uint8Array): string {
  const given = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^[\w.+-]+\/[\w.+-]+$/.test(given) && given !== 'application/octet-stream' && given !== 'unknown/unknown') return given;
  const start = new TextDecoder('latin1').decode(body.subarray(0, 1_024));
  if (start.startsWith('%PDF-')) return 'application/pdf';
  if (/^\s*(?:<!doctype html|<html|<head|<body)/i.test(start)) return 'text/html';
  return start.includes('\0') ? 'application/octet-stream' : 'text/plain';
}

/** Returns the form for a media type. */
export function formOf(mediaType: string): PageForm {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html';
  if (fileTypes.has(mediaType)) return 'file';
  return textTypes.test(mediaType) ? 'text' : 'refused';
}
