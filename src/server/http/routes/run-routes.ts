import { setImmediate } from 'node:timers/promises';
import { stream } from 'hono/streaming';
import { CadreError } from '../../../core/error.ts';
import type { RunId } from '../../../core/ids.ts';
import type { RunSummary } from '../../../core/events/journal.ts';
import { runOverview } from '../../../inspect/run-overview.ts';
import { hasWords } from '../../../inspect/run-words.ts';
import { readNumber } from '../read-query.ts';
import { toRow } from '../run-row.ts';
import type { Routes } from '../routes.ts';
import type { ServerParts } from '../server-parts.ts';

const usualRows = 100;
const mostRows = 1_000;
const mostHashes = 100;
/** Number of events read from a journal at a time. */
const pageSize = 1_000;

/** Adds the list of runs, and for each run its overview, journal, texts and profiles. */
export function addRunRoutes(routes: Routes, parts: ServerParts): void {
  const { engine, records } = parts;

  routes.get('/api/runs', async (context) => {
    const limit = readNumber(context, 'limit', { usual: usualRows, most: mostRows });
    const { q = '', status = '', before = '', project, deleted } = context.req.query();
    // The unfiltered first page is the most frequent request: it reads only the rows it shows.
    const isPlain = q === '' && status === '' && before === '';
    const listed = await engine.runs({
      ...(isPlain ? { limit: limit + 1 } : {}),
      ...(project === undefined ? {} : { project }),
      ...(deleted === 'true' ? { isDeleted: true as const } : {}),
    });
    const found = rowsAfter(listed, before).filter((row) => (status === '' || row.status === status) && hasWords(row, q));
    const runs = found.slice(0, limit).map((row) => toRow(engine, row));
    return context.json({ runs, more: found.length > limit });
  });

  routes.get('/api/runs/:id', async (context) => {
    const { state, runId } = await records.get(context.req.param('id'));
    const summary = (await engine.runs({ runId })).find((run) => run.runId === runId);
    const isLive = engine.live(runId) !== undefined;
    const overview = runOverview(state);
    const { title = overview.title, isAbandoned = false, project, deletedAt } = summary ?? {};
    return context.json({ ...overview, title, isLive, isAbandoned, project, deletedAt });
  });

  routes.get('/api/runs/:id/journal', async (context) => {
    const runId = context.req.param('id') as RunId;
    const after = readNumber(context, 'after', { usual: 0 });
    const limit = readNumber(context, 'limit', { usual: Number.MAX_SAFE_INTEGER });
    // Read before the answer begins, so that an unknown run is an error.
    let page = await engine.records.read(runId, { after, limit: Math.min(pageSize, limit) });
    context.header('Content-Type', 'application/x-ndjson');
    return stream(context, async (out) => {
      let sent = 0;
      while (page.length > 0 && !out.aborted) {
        await out.write(page.map((event) => `${JSON.stringify(event)}\n`).join(''));
        sent += page.length;
        const last = page.at(-1)?.seq ?? after;
        page = sent >= limit ? [] : await engine.records.read(runId, { after: last, limit: Math.min(pageSize, limit - sent) });
        await setImmediate();
      }
    });
  });

  routes.get('/api/runs/:id/contents', async (context) => {
    const hashes = context.req.queries('hash') ?? [];
    if (hashes.length === 0 || hashes.length > mostHashes)
      throw new CadreError('REQUEST_INVALID', `give 1 to ${mostHashes} texts as ?hash=…&hash=…, not ${hashes.length}`);
    return context.json((await records.get(context.req.param('id'))).texts(hashes));
  });

  routes.get('/api/runs/:id/profiles', async (context) => {
    const record = await records.get(context.req.param('id'));
    return context.json(await record.profiles());
  });
}

/** Returns the runs after `before`, newest first. */
function rowsAfter(runs: readonly RunSummary[], before: string): readonly RunSummary[] {
  if (before === '') return runs;
  const at = runs.findIndex((run) => run.runId === before);
  if (at < 0)
    throw new CadreError('REQUEST_INVALID', `?before= names the last run of the page before; there is no run '${before}'`);
  return runs.slice(at + 1);
}
