import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from 'hono/utils/compress';
import { CadreError } from '../../core/error.ts';
import type { LaunchOptions } from '../../engine/launch-options.ts';
import type { Engine } from '../../engine/engine.ts';
import { usualProfile } from '../../engine/launch/usual-profile.ts';
import { reachRun } from '../reach/reach-run.ts';
import { addAgUiRoutes } from '../ag-ui/ag-ui-routes.ts';
import { addChatRoutes } from '../chat/chat-routes.ts';
import { Threads } from '../threads/threads.ts';
import { answerError } from './answer-error.ts';
import { addControlRoutes } from './routes/control-routes.ts';
import { addExportRoutes } from './routes/export-routes.ts';
import { addEventRoutes } from './routes/event-routes.ts';
import { addInfoRoutes, addOpenapiRoutes } from './routes/info-routes.ts';
import { addPageRoutes } from './routes/page-routes.ts';
import { addCatalogRoutes } from './routes/catalog-routes.ts';
import { addRunRoutes } from './routes/run-routes.ts';
import { RunRecords } from './run-records.ts';
import type { ServerApp, ServerEnv, ServerParts } from './server-parts.ts';
import { addViewRoutes } from './routes/view-routes.ts';
import { getCookie, setCookie } from 'hono/cookie';
import { createHmac } from 'node:crypto';
import { type AccessRules, checkRequest, isSameSecret } from '../check-request.ts';

/** Options of the guard. */
interface GuardOptions extends Pick<AccessRules, 'token' | 'allowedHosts' | 'allowsAddresses'> {
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
function guard(options: GuardOptions): MiddlewareHandler<ServerEnv> {
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

/** Options of a server app. */
export interface ServerAppOptions {
  /** Token that every request must have, at least 16 characters; without it, the server answers everyone who can reach it. */
  readonly token?: string;
  /** Refuses every request that changes something. */
  readonly readOnly?: boolean;
  /** Further hosts of the server, as `name` or `name:port`, such as those of a proxy in front of it. */
  readonly allowedHosts?: readonly string[];
  /** Accepts IP addresses as host; other names are still refused unless they are in `allowedHosts`. */
  readonly allowsAddresses?: boolean;
  /** Profile of launches that name none; by default the one that `cadre run` chooses. */
  readonly defaultProfile?: string;
  /** Launch options for every run, besides those of the request. */
  readonly launch?: LaunchOptions;
  /** Returns profile files on disk that differ from those the engine has loaded, for clients to show; by default none. */
  readonly changedProfiles?: () => readonly string[];
}

/** Maximum length of a request body, in bytes. */
const longestBody = 2_000_000;
const shortestToken = 16;

/** True for text, but not for event streams: compression would hold events back. */
function isWorthCompressing(type: string): boolean {
  return COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type) || type.startsWith('application/x-ndjson');
}

/**
 * Creates the app that serves an engine: a hono app to run with `serve` or to mount in an app of your own. The caller keeps the
 * engine and closes it.
 *
 * @throws CadreError `OPTION_INVALID` when the token is too short
 */
export function createServerApp(engine: Engine, options: ServerAppOptions = {}): ServerApp {
  const { token, readOnly = false, allowedHosts, allowsAddresses } = options;
  if (token !== undefined && token.length < shortestToken)
    throw new CadreError('OPTION_INVALID', `a token needs at least ${shortestToken} characters, so that it cannot be guessed`);
  const parts: ServerParts = {
    engine,
    records: new RunRecords(engine.records),
    reach: reachRun(engine),
    readOnly,
    defaultProfile: options.defaultProfile ?? usualProfile(engine.profiles),
    launch: options.launch ?? {},
    changedProfiles: options.changedProfiles ?? (() => []),
  };
  const threads = new Threads(engine);
  const app: ServerApp = new Hono<ServerEnv>();
  app.use('*', guard({ readOnly, token, allowedHosts, allowsAddresses }));
  app.use('*', limitBody(longestBody));
  app.use('*', compress({ encoding: 'gzip', contentTypeFilter: isWorthCompressing }));
  addInfoRoutes(app, parts);
  addRunRoutes(app, parts);
  addViewRoutes(app, parts);
  addEventRoutes(app, parts);
  addControlRoutes(app, parts);
  addCatalogRoutes(app, parts);
  addExportRoutes(app, parts);
  addChatRoutes(app, parts, threads);
  addAgUiRoutes(app, parts, threads);
  addPageRoutes(app);
  addOpenapiRoutes(app, { hasToken: token !== undefined });
  app.all('*', (context) => answerError(context, new CadreError('ROUTE_UNKNOWN', `unknown address ${context.req.path}`)));
  app.onError((thrown, context) => answerError(context, thrown));
  return app;
}

/**
 * Refuses bodies longer than `most` bytes: by their declared length before reading, chunked ones as soon as they exceed it. Fails with
 * REQUEST_TOO_LARGE.
 */
function limitBody(most: number): MiddlewareHandler<ServerEnv> {
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
