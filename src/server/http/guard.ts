import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { createHmac } from 'node:crypto';
import { CadreError } from '../../core/error.ts';
import { type AccessRules, checkRequest, isSameSecret } from '../check-request.ts';
import { answerError } from './error-statuses.ts';
import type { ServerEnv } from './server-parts.ts';

/** Options of the guard. */
export interface GuardOptions extends Pick<AccessRules, 'token' | 'allowedHosts' | 'allowsAddresses'> {
  readonly readOnly: boolean;
}

/** Content policy of the page: nothing from other origins. Inline styles are allowed, since lists position their rows with them. */
const contentPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const howToOpen =
  'This page asks for a token: open it as /?token=TOKEN, once in each browser. The person who started the server has it.\n';

const alwaysSent: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Checks every request before its route runs, including those for files: host, origin, token and method (FAULTS S7). */
export function guard(options: GuardOptions): MiddlewareHandler<ServerEnv> {
  const session = options.token === undefined ? undefined : sessionOf(options.token);
  return async (context, next) => {
    for (const [name, value] of Object.entries(alwaysSent)) context.header(name, value);
    const refusal = checkRequest((name) => context.req.header(name), {
      ...options,
      port: context.env?.incoming?.socket.localPort,
      hasSession: session !== undefined && isSameSecret(getCookie(context, cookieName(context)) ?? '', session),
    });
    if (refusal?.code === 'REQUEST_UNAUTHORIZED' && opensSession(context, options.token, session)) return context.redirect('./');
    if (refusal?.code === 'REQUEST_UNAUTHORIZED' && isPage(context)) return context.text(howToOpen, 401);
    if (refusal !== undefined) return answerError(context, new CadreError(refusal.code, refusal.message), refusal.status);
    // An unneeded token must not stay in the address.
    if (context.req.query('token') !== undefined && isPage(context)) return context.redirect('./');
    const wrong = checkMethod(context, options.readOnly);
    if (wrong !== undefined) return wrong;
    await next();
  };
}

/** Allows GET and HEAD for reading and POST with JSON for writing, which no form of another page can send. */
function checkMethod(context: Context, readOnly: boolean): Response | undefined {
  const { method } = context.req;
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method !== 'POST') {
    context.header('Allow', 'GET, HEAD, POST');
    return answerError(context, new CadreError('REQUEST_INVALID', `${method} is not used here; GET, HEAD and POST are`), 405);
  }
  if (readOnly) return answerError(context, new CadreError('REQUEST_REFUSED', 'this server is read-only (--read-only)'));
  if (/^application\/json\s*(;|$)/i.test(context.req.header('content-type') ?? '')) return undefined;
  return answerError(context, new CadreError('REQUEST_INVALID', 'send JSON, with Content-Type: application/json'), 415);
}

/** Exchanges a token in the address for a cookie that scripts cannot read; false when there is no valid one. */
function opensSession(context: Context, token: string | undefined, session: string | undefined): boolean {
  const given = context.req.query('token');
  if (token === undefined || session === undefined || given === undefined || !isPage(context)) return false;
  if (!isSameSecret(given, token)) return false;
  const secure = new URL(context.req.url).protocol === 'https:';
  setCookie(context, cookieName(context), session, { httpOnly: true, sameSite: 'Strict', path: '/', secure });
  return true;
}

function isPage(context: Context): boolean {
  return context.req.method === 'GET' && context.req.path.endsWith('/');
}

/** Returns the cookie's name, with the port: browsers keep cookies by host alone, and several servers may run on one machine. */
function cookieName(context: Context): string {
  return `cadre_${/:(\d+)$/.exec(context.req.header('host') ?? '')?.[1] ?? 'web'}`;
}

/** Returns the cookie's value: it opens this server and does not reveal the token. */
function sessionOf(token: string): string {
  return createHmac('sha256', token).update('cadre page').digest('base64url');
}

/**
 * Refuses bodies longer than `most` bytes: by their declared length before reading, chunked ones as soon as they exceed it. Fails with
 * REQUEST_TOO_LARGE.
 */
export function limitBody(most: number): MiddlewareHandler<ServerEnv> {
  return async ({ req }, next) => {
    const { method, headers, body } = req.raw;
    const declared = headers.has('transfer-encoding') ? null : headers.get('content-length');
    if (Number(declared) > most) throw tooLong(most);
    // A body with a declared length cannot be longer than that.
    if (declared === null && body !== null && method !== 'GET' && method !== 'HEAD')
      // Later readers of the body find it here; hono stores promises, though its types say otherwise.
      Object.assign(req.bodyCache, { arrayBuffer: Promise.resolve(await readUpTo(body, most)) });
    await next();
  };
}

async function readUpTo(body: ReadableStream<Uint8Array>, most: number): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > most) throw tooLong(most);
    chunks.push(chunk);
  }
  const { buffer } = new Uint8Array(Buffer.concat(chunks));
  return buffer;
}

function tooLong(most: number): CadreError {
  return new CadreError('REQUEST_TOO_LARGE', `a request may have ${most} bytes at most`);
}
