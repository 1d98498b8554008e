/**
 * Path as a string with one character per byte (Latin-1). File names are bytes, and a command may choose bytes that are not valid text; a
 * byte path can name any file, but is not meant for display.
 */
export type BytePath = string;

const ascii = /^[\x20-\x7e]*$/;

/** Converts a byte path to the form that `node:fs` takes. */
export function toBuffer(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** Converts a byte path to text; bytes that are not UTF-8 become U+FFFD. */
export function toText(path: BytePath): string {
  return ascii.test(path) ? path : Buffer.from(path, 'latin1').toString('utf8');
}

/** Converts a path in text to a byte path. */
export function toBytePath(path: string): BytePath {
  return ascii.test(path) ? path : Buffer.from(path, 'utf8').toString('latin1');
}

/** True when a byte path is valid UTF-8 text. */
export function isText(path: BytePath): boolean {
  return toBytePath(toText(path)) === path;
}
