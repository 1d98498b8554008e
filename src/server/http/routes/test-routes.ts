import { CadreError } from '../../../core/error.ts';
import { bodySchemas } from './control-schemas.ts';
import type { ProfileTests } from '../profile-tests.ts';
import { readNumber } from '../read-query.ts';
import { readBody } from '../request-body.ts';
import type { Routes } from '../routes.ts';
import type { ServerParts } from '../server-parts.ts';

/** Adds the routes that run the tests of the server's profiles, and tell what they exercised. */
export function addTestRoutes(routes: Routes, { tests }: Pick<ServerParts, 'tests'>): void {
  const known = (): ProfileTests => {
    if (typeof tests !== 'string') return tests;
    throw new CadreError('REQUEST_REFUSED', tests);
  };

  routes.get('/api/tests', async (context) => context.json(await known().state(readNumber(context, 'round', { usual: 0 }))));

  routes.post('/api/tests', async (context) => {
    const found = known();
    await readBody(context, bodySchemas.tests);
    return context.json(await found.run());
  });
}
