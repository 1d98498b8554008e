import type { Context } from 'hono';
import { bodySchemas } from './control-schemas.ts';
import { readBody } from '../request-body.ts';
import type { Routes } from '../routes.ts';
import type { ServerEnv, ServerParts } from '../server-parts.ts';

/** Adds the routes of the run catalog (titles, projects, deletion). They work on every run, whichever process advances it. */
export function addCatalogRoutes(routes: Routes, { engine: { catalog } }: ServerParts): void {
  const idOf = (context: Context<ServerEnv>): string => context.req.param('id') ?? '';

  routes.post('/api/runs/:id/rename', async (context) => {
    const { title } = (await readBody(context, bodySchemas.rename)) as { readonly title: string | null };
    await catalog.rename(idOf(context), title);
    return context.json({ runIds: [idOf(context)] });
  });

  routes.post('/api/runs/:id/move', async (context) => {
    const { project } = (await readBody(context, bodySchemas.move)) as { readonly project: string | null };
    await catalog.move(idOf(context), project);
    return context.json({ runIds: [idOf(context)] });
  });

  routes.post('/api/runs/:id/delete', async (context) => {
    const options = (await readBody(context, bodySchemas.remove)) as { readonly forks?: boolean };
    return context.json({ runIds: await catalog.remove(idOf(context), options) });
  });

  routes.post('/api/runs/:id/restore', async (context) => {
    const options = (await readBody(context, bodySchemas.restore)) as { readonly forks?: boolean };
    return context.json({ runIds: await catalog.restore(idOf(context), options) });
  });

  routes.get('/api/projects', async (context) => context.json({ projects: await catalog.projects() }));

  routes.post('/api/projects/rename', async (context) => {
    const { from, to } = (await readBody(context, bodySchemas.renameProject)) as { readonly from: string; readonly to: string };
    return context.json({ runs: await catalog.renameProject(from, to) });
  });
}
