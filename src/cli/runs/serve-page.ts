import { CadreError } from '../../core/error.ts';
import type { Engine } from '../../engine/engine.ts';
import { serve, type Served, type ServeOptions } from '../../server/http/serve.ts';

/** Default port of `cadre serve`; when it is taken, any free one is used. */
export const defaultPort = 4111;

/** Serves an engine with its page on the given port, else on the default one, else on any free one. */
export async function servePage(engine: Engine, options: ServeOptions): Promise<Served> {
  if (options.port !== undefined) return await serve(engine, options);
  try {
    return await serve(engine, { ...options, port: defaultPort });
  } catch (thrown) {
    if (!isTaken(thrown)) throw thrown;
    return await serve(engine, options);
  }
}

function isTaken(thrown: unknown): boolean {
  const cause = thrown instanceof CadreError ? thrown.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}
