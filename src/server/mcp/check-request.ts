import { timingSafeEqual, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Names under which a server on this machine may be asked. */
const ownNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404;
  readonly message: string;
}

/**
 * Checks a request before anything of it is read (FAULTS S7): it must be for this machine by name and port, since a page can
 * have its own name point here; it must not come from a page of another origin; it must bear the token when there is one.
 */
export function checkRequest(request: IncomingMessage, port: number, token: string | undefined): Refusal | undefined {
  const { host, origin, authorization } = request.headers;
  if (!isOwnAddress(host, port)) return { status: 403, message: 'this server answers to 127.0.0.1 and localhost only' };
  if (origin !== undefined && !isOwnOrigin(origin))
    return { status: 403, message: 'requests of pages of other origins are refused' };
  if (token !== undefined && !bears(authorization, token))
    return { status: 401, message: 'send the header Authorization: Bearer TOKEN' };
  const path = (request.url ?? '').split('?')[0];
  return path === '/mcp' ? undefined : { status: 404, message: 'the server is at /mcp' };
}

function isOwnAddress(host: string | undefined, port: number): boolean {
  const match = /^(.+?)(?::(\d+))?$/.exec(host ?? '');
  return match !== null && ownNames.has((match[1] ?? '').toLowerCase()) && Number(match[2] ?? 80) === port;
}

function isOwnOrigin(origin: string): boolean {
  return URL.canParse(origin) && ownNames.has(new URL(origin).hostname);
}

/** Compares in a time that says nothing about the token. */
function bears(authorization: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}
