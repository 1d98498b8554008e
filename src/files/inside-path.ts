import { CadreError } from '../core/error.ts';

const maxPathChars = 1024;

/**
 * Converts a requested path to a clean relative path with `/` between its parts, or refuses it.
 *
 * Refused without touching the disk: empty and overlong paths, NUL and control characters, absolute paths of any
 * platform, `~`, backslashes, and any `..` component, plain or percent-encoded. `what` names the folder in the message.
 *
 * @throws CadreError `PATH_REFUSED`
 */
export function toInsidePath(requested: string, what: string): string {
  const reason = refusal(requested);
  if (reason !== undefined) throw refusePath(requested, reason, what);
  const parts = requested.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0) throw refusePath(requested, 'it names no file', what);
  return parts.join('/');
}

/** Creates the error for a refused path, with the reason and the kind of path to give instead. */
export function refusePath(requested: string, reason: string, what: string): CadreError {
  const shown = showPath(requested);
  return new CadreError(
    'PATH_REFUSED',
    `The path ${shown} is refused: ${reason}. Only paths inside ${what} are allowed; give one relative to it, like "guide/intro.md".`,
    { details: { path: shown, reason } },
  );
}

/** Formats a path for printing: control characters escaped, cut at 200 characters. */
export function showPath(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

function refusal(path: string): string | undefined {
  if (path.trim() === '') return 'it is empty';
  if (path.length > maxPathChars) return `it is longer than ${maxPathChars} characters`;
  if (hasControlCharacter(path)) return 'it has a NUL or another control character in it';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'it is an absolute path';
  if (path.startsWith('~')) return 'it starts at a home folder';
  if (path.includes('\\')) return 'it has a backslash in it, and parts are separated by "/"';
  if (climbs(path)) return 'it climbs out with ".."';
  const decoded = decodeRepeatedly(path);
  if (decoded !== path && (climbs(decoded) || hasControlCharacter(decoded) || decoded.startsWith('/') || decoded.includes('\\'))) {
    return 'it hides "..", "/" or a control character behind percent-encoding';
  }
  return undefined;
}

function climbs(path: string): boolean {
  // Some file systems drop trailing dots and spaces, so they read a part of only dots and spaces as "..".
  return path.split('/').some((part) => part !== '.' && /^\.[. ]+$/.test(part));
}

/** Decodes percent-encoding up to three times, for `%252e%252e`; invalid escapes stay as they are. */
function decodeRepeatedly(path: string): string {
  let decoded = path;
  for (let round = 0; round < 3; round += 1) {
    decoded = decoded.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return decoded;
}

/** True when text contains a character below space, or DEL. */
export function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 127) return true;
  }
  return false;
}
