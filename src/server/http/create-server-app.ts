import { Hono } from 'hono';
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
import { guard } from './guard.ts';
import { addOpenapiRoutes } from './routes/openapi-routes.ts';
import { addInfoRoutes } from './routes/info-routes.ts';
import { limitBody } from './limit-body.ts';
import { addPageRoutes } from './routes/page-routes.ts';
import { addCatalogRoutes } from './routes/catalog-routes.ts';
import { addRunRoutes } from './routes/run-routes.ts';
import { RunRecords } from './run-records.ts';
import type { ServerApp, ServerEnv, ServerParts } from './server-parts.ts';
import { addViewRoutes } from './routes/view-routes.ts';

/** How a server app behaves. */
export interface ServerAppOptions {
  /** What every request must bear, at least 16 characters; without it, everybody who reaches the server is answered. */
  readonly token?: string;
  /** Refuses everything that changes something. */
  readonly readOnly?: boolean;
  /** Further hosts the server is known by, as `name` or `name:port`: those of a proxy in front of it. */
  readonly allowedHosts?: readonly string[];
  /** Also answers to network addresses; names are still refused unless they are allowed. */
  readonly allowsAddresses?: boolean;
  /** The profile that runs are launched with when a request names none; by default as `cadre run` chooses it. */
  readonly defaultProfile?: string;
  /** What runs are launched with besides what a request says. */
  readonly launch?: LaunchOptions;
  /** Profile files on disk that differ from those the engine has loaded, for clients to show; by default none is known. */
  readonly changedProfiles?: () => readonly string[];
}

/** The longest body of a request, in bytes. */
const longestBody = 2_000_000;
const shortestToken = 16;

/** Text is sent smaller to clients that take it so; streams of events are not, since what compresses them holds events back. */
function isWorthCompressing(type: string): boolean {
  return COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type) || type.startsWith('application/x-ndjson');
}

/**
 * Makes the app that serves an engine: a hono app to serve by itself (`serve`) or to mount in an app of your own. The engine
 * stays the caller's, who closes it.
 *
 * @throws CadreError `OPTION_INVALID` when the token is too short to be one
 */
export function createServerApp(engine: Engine, options: ServerAppOptions = {}): ServerApp {
  const { token, readOnly = false, allowedHosts, allowsAddresses } = options;
  if (token !== undefined && token.length < shortestToken)
    throw new CadreError('OPTION_INVALID', `a token needs at least ${shortestToken} characters, or somebody guesses it`);
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
  app.all('*', (context) => answerError(context, new CadreError('ROUTE_UNKNOWN', `there is nothing at ${context.req.path}`)));
  app.onError((thrown, context) => answerError(context, thrown));
  return app;
}
