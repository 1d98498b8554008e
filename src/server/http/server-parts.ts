import type { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import type { Engine } from '../../engine/engine.ts';
import type { LaunchOptions } from '../../engine/launch-options.ts';
import type { ProfileTests } from './profile-tests.ts';
import type { RunReach } from '../reach/reach-run.ts';
import type { Person } from '../../core/roles.ts';
import type { RunRecords } from './run-records.ts';

/** Dependencies of the server's routes: each `addXRoutes(app, parts)` adds its own to the app. */
export interface ServerParts {
  readonly engine: Engine;
  /** Runs read from the journal, whichever process advances them. */
  readonly records: RunRecords;
  /** Acts on runs, whichever process advances them. */
  readonly reach: RunReach;
  /** Refuses every write: the guard does so before a route runs. */
  readonly readOnly: boolean;
  /** Profile of launches that name none. */
  readonly defaultProfile: () => string | undefined;
  /** Launch options for every run, besides those of the request. */
  readonly launch: LaunchOptions;
  /** Runs the tests of the profiles; a text says why this server does not. */
  readonly tests: ProfileTests | string;
  /** Returns profile files on disk that differ from the loaded ones. */
  readonly changedProfiles: () => readonly string[];
  /** Returns why they could not be loaded. */
  readonly profileProblem: () => string | undefined;
}

/** App that routes are added to. `env.incoming` is present when Node serves it; an app may also be called directly. */
export type ServerApp = Hono<ServerEnv>;

/** Environment of a request. */
export interface ServerEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** Who sends the request; the guard sets it before a route runs. */
    person: Person;
  };
}
