import type { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import type { Engine } from '../../engine/engine.ts';
import type { LaunchOptions } from '../../engine/launch-options.ts';
import type { RunReach } from '../reach/reach-run.ts';
import type { RunRecords } from './run-records.ts';

/** What the server's routes are made of: each `addXRoutes(app, parts)` adds its own to the app. */
export interface ServerParts {
  readonly engine: Engine;
  /** The runs to look at, whoever advances them. */
  readonly records: RunRecords;
  /** Acts on runs, whichever process has them. */
  readonly reach: RunReach;
  /** Nothing may be changed: the guard refuses every write before a route is asked. */
  readonly readOnly: boolean;
  /** The profile that runs are launched with when a request names none. */
  readonly defaultProfile: string | undefined;
  /** What runs are launched with besides what a request says. */
  readonly launch: LaunchOptions;
  /** Profile files on disk that differ from those that are loaded. */
  readonly changedProfiles: () => readonly string[];
}

/** The app that routes are added to. `env.incoming` is there when it is served by node; an app may be called directly, too. */
export type ServerApp = Hono<ServerEnv>;

/** What is around a request. */
export interface ServerEnv {
  Bindings: Partial<HttpBindings>;
}
