import { setImmediate } from 'node:timers/promises';
import type { Context } from 'hono';
import { CadreError } from '../../../core/error.ts';
import { createContentHash } from '../../../engine/recovery/content-hash.ts';
import { type ComparedRun, comparisonSteps } from '../../../inspect/compare/compare-runs.ts';
import { compareOneTurn, type RunWithRecords } from '../../../inspect/compare/turn-comparison.ts';
import { fromPlainFacts } from '../../../inspect/turn/profile-facts.ts';
import { toTurnRecord } from '../../../inspect/turn/turn-record.ts';
import type { RunRecord } from '../run-record.ts';
import type { Routes } from '../routes.ts';
import type { ServerEnv, ServerParts } from '../server-parts.ts';

const mostRuns = 10;
/** Milliseconds of comparing before other requests are answered. */
const sliceMs = 20;

const contentHash = createContentHash();

/** Adds the comparison of runs, as `cadre compare` makes it, and that of one turn of two runs. */
export function addCompareRoutes(routes: Routes, { records }: ServerParts): void {
  const runsOf = async (context: Context<ServerEnv>, most: number): Promise<readonly RunRecord[]> => {
    const runIds = context.req.queries('run') ?? [];
    if (runIds.length < 2 || runIds.length > most)
      throw new CadreError(
        'REQUEST_INVALID',
        `give ${most === 2 ? 'two runs' : `2 to ${most} runs`} as ?run=…&run=…, not ${runIds.length}`,
      );
    const found: RunRecord[] = [];
    for (const runId of runIds) found.push(await records.get(runId));
    return found;
  };

  routes.get('/api/compare', async (context) => {
    const steps = comparisonSteps((await runsOf(context, mostRuns)).map(toCompared));
    let began = performance.now();
    let step = steps.next();
    while (step.done !== true) {
      if (performance.now() - began > sliceMs) {
        await setImmediate();
        began = performance.now();
      }
      step = steps.next();
    }
    return context.json(step.value);
  });

  routes.get('/api/compare/turns/:turnId', async (context) => {
    const [before, after] = await Promise.all((await runsOf(context, 2)).map(withRecords));
    if (before === undefined || after === undefined) throw new Error('two runs were read');
    return context.json(compareOneTurn(context.req.param('turnId'), before, after));
  });
}

function toCompared({ events, content, state }: RunRecord): ComparedRun {
  return { events, content, state };
}

async function withRecords(run: RunRecord): Promise<RunWithRecords> {
  const profiles = new Map(Object.entries(await run.profiles()).map(([name, facts]) => [name, fromPlainFacts(facts)]));
  return {
    ...toCompared(run),
    record: (turnId) => {
      const turn = run.state.turns.get(turnId);
      if (turn === undefined) throw new CadreError('TURN_UNKNOWN', `the run has no turn '${turnId}'`);
      return toTurnRecord(run.state, turn, run.content, profiles, contentHash);
    },
  };
}
