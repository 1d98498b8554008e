import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { CadreError } from '../../core/error.ts';
import type { Access, Credentials } from '../access/access.ts';
import { bearerToken } from '../access/bearer-token.ts';
import { type AccessRules, checkRequest, type Refusal, unauthorized } from '../check-request.ts';
import { endWithAccess } from './end-with-access.ts';
import { answerError } from './error-statuses.ts';
import type { ServerEnv } from './server-parts.ts';

/** Options of the guard. */
export interface GuardOptions extends Pick<AccessRules, 'allowedHosts' | 'allowsAddresses'> {
  readonly readOnly: boolean;
  readonly access: Access;
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

/** Checks every request before its route runs, including those for files: host, origin, person and method (FAULTS S7). */
export function guard({ access, readOnly, ...rules }: GuardOptions): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    for (const [name, value] of Object.entries(alwaysSent)) context.header(name, value);
    const refusal = checkRequest((name) => context.req.header(name), {
      ...rules,
      port: context.env?.incoming?.socket.localPort,
    });
    if (refusal !== undefined) return refuse(context, refusal);
    if (opensSession(context, access)) return context.redirect('./');
    const given = credentialsOf(context);
    const person = access.find(given);
    if (person === undefined) return isPage(context) ? context.text(howToOpen, 401) : refuse(context, unauthorized);
    // An unneeded token must not stay in the address.
    if (context.req.query('token') !== undefined && isPage(context)) return context.redirect('./');
    const wrong = checkMethod(context, readOnly);
    if (wrong !== undefined) return wrong;
    context.set('person', person);
    await next();
    if (access.asks) endWithAccess(context, (leave) => access.watch(given, person, leave));
  };
}

function refuse(context: Context, { code, message, status }: Refusal): Response {
  return answerError(context, new CadreError(code, message), status);
}

function credentialsOf(context: Context): Credentials {
  return { token: bearerToken(context.req.header('authorization')), session: getCookie(context, cookieName(context)) };
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
function opensSession(context: Context, access: Access): boolean {
  const given = context.req.query('token');
  const session = given === undefined || !isPage(context) ? undefined : access.sessionOf(given);
  if (session === undefined) return false;
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
