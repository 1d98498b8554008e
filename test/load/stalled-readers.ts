import { request } from 'node:http';
import type { Engine, Run } from '../../src/index.ts';
import { serve } from '../../src/server/index.ts';

/** Makes so many readers of a run that read its beginning and never another word; the returned function lets them go. */
export type Stall = (engine: Engine, run: Run, readers: number) => Promise<() => Promise<void>>;

/** Readers of `run.events()`. */
export const stallInProcess: Stall = async (_engine, run, readers) => {
  const stalled = Array.from({ length: readers }, () => run.events()[Symbol.asyncIterator]());
  for (const reader of stalled) await reader.next();
  return async () => {
    for (const reader of stalled) await reader.return?.();
  };
};

/** Readers of `GET /api/runs/:id/events`, over sockets nobody reads from. */
export const stallOverHttp: Stall = async (engine, run, readers) => {
  if (readers === 0) return () => Promise.resolve();
  const served = await serve(engine);
  for (let reader = 0; reader < readers; reader++) {
    await new Promise<void>((resolve, reject) => {
      const asked = request(`${served.url}/api/runs/${run.id}/events`, { agent: false }, (response) => {
        response.pause().on('error', () => undefined);
        resolve();
      });
      asked.on('error', reject).end();
    });
  }
  return () => served.close();
};
