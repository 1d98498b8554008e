import type { RunId } from '../../../core/ids.ts';
import { answerEvents } from '../answer-events.ts';
import { EventReaders } from '../event-readers.ts';
import { readNumber } from '../read-query.ts';
import { RunFeed } from '../run-feed.ts';
import { RunListWatch } from '../run-list-watch.ts';
import type { Routes } from '../routes.ts';
import type { ServerParts } from '../server-parts.ts';
import { FairQueue } from '../fair-queue.ts';

/** Adds the event streams of one run and of the list of runs. */
export function addEventRoutes(routes: Routes, { engine }: ServerParts): void {
  const list = new RunListWatch(engine);
  const queue = new FairQueue();
  const readers = new EventReaders();

  routes.get('/api/events', (context) => readers.admit(context, (leave) => answerEvents(context, () => list.open(), leave)));

  routes.get('/api/runs/:id/events', async (context) => {
    const runId = context.req.param('id') as RunId;
    const asked = readNumber(context, 'after', { usual: 0 });
    // A browser that reconnects sends the last event it has; the address is still the original one.
    const last = /^\d{1,15}$/.exec(context.req.header('last-event-id') ?? '');
    const after = last === null ? asked : Number(last[0]);
    // Read before the answer begins, so that an unknown run is an error.
    await engine.records.read(runId, { after, limit: 1 });
    return await readers.admit(context, (leave) =>
      answerEvents(context, () => new RunFeed(engine, { runId, after, queue }), leave),
    );
  });
}
