import { homedir } from 'node:os';
import type { Context } from 'hono';
import { exportRun } from '../../../engine/recovery/export-run.ts';
import type { RunBundle } from '../../../inspect/bundle.ts';
import { toPageFile } from '../../export/page-file.ts';
import type { Routes } from '../routes.ts';
import type { ServerEnv, ServerParts } from '../server-parts.ts';

/** Adds the export of a run as a bundle or as a page with the run inside; `?redact=false` keeps text that looks like a secret. */
export function addExportRoutes(routes: Routes, parts: ServerParts): void {
  routes.get('/api/runs/:id/export.json', async (context) => {
    const bundle = await bundleOf(parts, context);
    return attachment(context, { bundle, kind: 'json', body: `${JSON.stringify(bundle)}\n` });
  });
  routes.get('/api/runs/:id/export.html', async (context) => {
    const bundle = await bundleOf(parts, context);
    return attachment(context, { bundle, kind: 'html', body: await toPageFile(bundle) });
  });
}

/** Returns the bundle of a run up to the newest event of its journal. */
async function bundleOf({ records }: ServerParts, context: Context<ServerEnv>): Promise<RunBundle> {
  const { events, content } = await records.get(context.req.param('id') ?? '');
  const { bundle } = await exportRun(
    { events: [...events], content },
    { at: Date.now(), redact: context.req.query('redact') !== 'false', env: process.env, homes: [homedir()] },
  );
  return bundle;
}

interface Attachment {
  readonly bundle: RunBundle;
  readonly kind: 'json' | 'html';
  readonly body: string;
}

/** Answers with a download: a page with a run inside must not open as a page of this server. */
function attachment(context: Context<ServerEnv>, { bundle, kind, body }: Attachment): Response {
  return context.body(body, 200, {
    'Content-Type': kind === 'json' ? 'application/json' : 'text/html; charset=utf-8',
    'Content-Disposition': `attachment; filename="${bundle.run.runId}.${kind}"`,
  });
}
