import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from 'hono/utils/compress';
import { CadreError } from '../../core/error.ts';
import type { LaunchOptions } from '../../engine/launch-options.ts';
import type { Engine } from '../../engine/engine.ts';
import { usualProfile } from '../../engine/launch/usual-profile.ts';
import { type Access, type AccessOptions, createAccess } from '../access/access.ts';
import { reachRun } from '../reach/reach-run.ts';
import { addAgUiRoutes } from '../ag-ui/ag-ui-routes.ts';
import { addChatRoutes } from '../chat/chat-routes.ts';
import { Threads } from '../threads/threads.ts';
import { answerError } from './error-statuses.ts';
import { addCompareRoutes } from './routes/compare-routes.ts';
import { addControlRoutes } from './routes/control-routes.ts';
import { addExportRoutes } from './routes/export-routes.ts';
import { addEventRoutes } from './routes/event-routes.ts';
import { addInfoRoutes, addOpenapiRoutes } from './routes/info-routes.ts';
import { addPageRoutes } from './routes/page-routes.ts';
import { addCatalogRoutes } from './routes/catalog-routes.ts';
import { addRunRoutes } from './routes/run-routes.ts';
import { RunRecords } from './run-records.ts';
import { Routes } from './routes.ts';
import type { ProfileTests } from './profile-tests.ts';
import { addTestRoutes } from './routes/test-routes.ts';
import type { ServerApp, ServerEnv, ServerParts } from './server-parts.ts';
import { addViewRoutes } from './routes/view-routes.ts';
import { guard, limitBody } from './guard.ts';

/** Options of a server app. */
export interface ServerAppOptions extends AccessOptions {
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
  /** Runs the tests of the profiles, for their author; by default, the server runs none. */
  readonly tests?: ProfileTests;
  /** Returns profile files on disk that differ from those the engine has loaded, for clients to show; by default none. */
  readonly changedProfiles?: () => readonly string[];
  /** Returns why those files could not be loaded, for clients to show; by default they need not be. */
  readonly profileProblem?: () => string | undefined;
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
 * @throws CadreError `OPTION_INVALID` when the token is too short, or the users cannot be used
 */
export function createServerApp(engine: Engine, options: ServerAppOptions = {}): ServerApp {
  const { token, users, open, onUsersProblem, readOnly = false, allowedHosts, allowsAddresses } = options;
  if (token !== undefined && token.length < shortestToken)
    throw new CadreError('OPTION_INVALID', `a token needs at least ${shortestToken} characters, so that it cannot be guessed`);
  const access = createAccess({ token, users, open, onUsersProblem });
  const parts: ServerParts = {
    engine,
    records: new RunRecords(engine.records),
    reach: reachRun(engine),
    readOnly,
    // Profiles may be loaded again.
    defaultProfile: () => options.defaultProfile ?? usualProfile(engine.profiles),
    launch: options.launch ?? {},
    tests: testsFor(options, access),
    changedProfiles: options.changedProfiles ?? (() => []),
    profileProblem: options.profileProblem ?? (() => undefined),
  };
  const threads = new Threads(engine);
  const app: ServerApp = new Hono<ServerEnv>();
  app.use('*', guard({ access, readOnly, allowedHosts, allowsAddresses }));
  app.use('*', limitBody(longestBody));
  app.use('*', compress({ encoding: 'gzip', contentTypeFilter: isWorthCompressing }));
  const routes = new Routes(app);
  addInfoRoutes(routes, parts);
  addRunRoutes(routes, parts);
  addViewRoutes(routes, parts);
  addCompareRoutes(routes, parts);
  addEventRoutes(routes, parts);
  addControlRoutes(routes, parts);
  addCatalogRoutes(routes, parts);
  addTestRoutes(routes, parts);
  addExportRoutes(routes, parts);
  addChatRoutes(routes, parts, threads);
  addAgUiRoutes(routes, parts, threads);
  addPageRoutes(routes);
  addOpenapiRoutes(routes, { app, hasToken: access.asks });
  app.all('*', (context) => answerError(context, new CadreError('ROUTE_UNKNOWN', `unknown address ${context.req.path}`)));
  app.onError((thrown, context) => answerError(context, thrown));
  return app;
}

/** Tests are for the author alone: reports contain prompts and places of files, and a run of them takes a processor. */
function testsFor({ tests, readOnly = false, allowedHosts = [] }: ServerAppOptions, { asks }: Access): ProfileTests | string {
  if (tests === undefined)
    return 'this server has no folder of profiles to test; cadre serve and cadre dev run the tests of the folder that they serve';
  if (readOnly) return 'this server is read-only (--read-only), and runs no tests; run them with: cadre test';
  if (!asks && allowedHosts.length > 0)
    return 'this server answers other hosts without a token, and runs no tests for them; start it with --token, or run them with: cadre test';
  return tests;
}
