import type { Context, Handler } from 'hono';
import { type AccessName, type AccessOf, assertMay } from '../access/access-table.ts';
import type { Person } from '../../core/roles.ts';
import type { ServerApp, ServerEnv } from './server-parts.ts';

/** Adds routes to an app, each with the role that the table of access gives it: a route that is not in the table does not compile. */
export class Routes {
  readonly #app: ServerApp;

  constructor(app: ServerApp) {
    this.#app = app;
  }

  get<Path extends AccessOf<'GET'>>(path: Path, handler: Handler<ServerEnv, Path>): void {
    this.#app.get(path, this.#gate(`GET ${path}` as AccessName), handler as Handler<ServerEnv>);
  }

  post<Path extends AccessOf<'POST'>>(path: Path, handler: Handler<ServerEnv, Path>): void {
    this.#app.post(path, this.#gate(`POST ${path}` as AccessName), handler as Handler<ServerEnv>);
  }

  #gate(name: AccessName): Handler<ServerEnv> {
    return async (context, next) => {
      assertMay(personOf(context), name);
      await next();
    };
  }
}

/** Returns who sends a request. */
export function personOf(context: Context<ServerEnv>): Person {
  return context.get('person');
}

/** Returns who is recorded for what a request does. The body cannot choose it. */
export function byOf(context: Context<ServerEnv>): { readonly by: string } {
  return { by: personOf(context).name };
}

/** Refuses parts of a request that need a further role. Fails with REQUEST_REFUSED, naming the part. */
export function assertParts(context: Context<ServerEnv>, name: AccessName, parts: readonly string[]): void {
  for (const part of parts) assertMay(personOf(context), name, part);
}
