import path from 'node:path';
import { checkDecisions } from '../../support/rebuild/check-decisions.ts';
import { secondCopy } from '../../support/rebuild/second-copy.ts';
import type { World } from '../world/world.ts';

type Judges = typeof import('../process/judges.ts');

let judges: Promise<Judges> | undefined;

/**
 * Most events that are folded to check one run. A usual run stays far below, and every decision of it is made again; of a run that is
 * much longer it is the last one, and every so many before.
 */
const mostEvents = 100_000;

/** Decisions, in whichever process they were made, come out the same when they are made again from the journal alone. */
export async function checkRunDecisions(world: World): Promise<void> {
  judges ??= secondCopy<Judges>(path.join(import.meta.dirname, '../process/judges.ts'));
  const { simIngestors, simObservers, simTools, ...deciding } = await judges;
  const options = {
    models: { m: undefined },
    tools: simTools(),
    ingestors: simIngestors(),
    observers: simObservers(),
    team: { maxParallel: 2 },
    env: {},
  };
  const { texts } = world.decisions;
  const text = (hash: string): string | undefined => world.disk.content(hash);
  for (const runId of world.disk.runIds) {
    const made = world.decisions.decisions.filter((decision) => decision.runId === runId);
    const folded = made.reduce((sum, { seq }) => sum + seq, 0);
    const every = Math.max(1, Math.ceil(folded / mostEvents));
    const decisions = made.filter((_, index) => (made.length - 1 - index) % every === 0);
    const rebuilding = { options, events: world.disk.events(runId), text };
    for (const difference of await checkDecisions({ decisions, texts }, deciding, rebuilding))
      world.violated(`a decision is not a function of the journal: ${difference}`);
  }
}
