/** A body as text, and the name of its encoding. */
export interface DecodedBody {
  readonly text: string;
  readonly charset: string;
}

/** Number of bytes of a page that are searched for its declared encoding. */
const searchedBytes = 2_048;

/**
 * Decodes a body: by its byte order mark, else by the charset of its content type, else by the declaration in an HTML page, else as
 * UTF-8. An unknown charset is read as UTF-8; invalid bytes become U+FFFD.
 */
export function decodeBody(body: Uint8Array, contentType: string): DecodedBody {
  const named = markOf(body) ?? charsetIn(contentType) ?? charsetOfPage(body);
  return decodeAs(body, named ?? 'utf-8') ?? { text: new TextDecoder().decode(body), charset: 'utf-8' };
}

function markOf(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(text)?.[1];
}

function charsetOfPage(body: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(body.subarray(0, searchedBytes));
  const meta = /<meta\b[^>]{0,200}charset[^>]{0,100}|^<\?xml[^>]{0,200}encoding[^>]{0,100}/i.exec(start)?.[0];
  if (meta === undefined) return undefined;
  const named = charsetIn(meta.replace(/encoding(?=\s*=)/i, 'charset'));
  // A page whose bytes were readable so far is not in UTF-16, whatever it declares.
  return named !== undefined && /^utf-?16/i.test(named) ? 'utf-8' : named;
}

function decodeAs(body: Uint8Array, charset: string): DecodedBody | undefined {
  try {
    const decoder = new TextDecoder(charset);
    return { text: decoder.decode(body), charset: decoder.encoding };
  } catch {
    // No decoder has this name.
    return undefined;
  }
}
