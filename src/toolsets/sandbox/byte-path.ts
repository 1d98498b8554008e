/**
 * Names on a disk are bytes, and a command may choose such as are no text. A byte path is a string with a character for each byte
 * (Latin-1): it names any file, and cannot be shown.
 */
export type BytePath = string;

const ascii = /^[\x20-\x7e]*$/;

/** A byte path as file functions take it. */
export function toBuffer(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** A byte path as text; what is no UTF-8 becomes U+FFFD. */
export function toText(path: BytePath): string {
  return ascii.test(path) ? path : Buffer.from(path, 'latin1').toString('utf8');
}

/** A path in text as a byte path. */
export function toBytePath(path: string): BytePath {
  return ascii.test(path) ? path : Buffer.from(path, 'utf8').toString('latin1');
}

/** Whether a byte path can be written as text. */
export function isText(path: BytePath): boolean {
  return toBytePath(toText(path)) === path;
}
