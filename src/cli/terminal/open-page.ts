import type { Engine } from '../../engine/engine.ts';
import type { Run } from '../../engine/run.ts';
import type { Interruption } from './interruption.ts';
import type { Terminal } from './terminal.ts';

/** The page beside a run, until it is disposed of. */
export interface OpenPage extends AsyncDisposable {
  /** Keeps the page open until the process is told to stop: its run can still be looked at and spoken to. */
  untilLeft(interruption: Interruption): Promise<void>;
}

/** Serves the page of an engine and says where a run of it is. */
export async function openPage(engine: Engine, run: Run, terminal: Terminal): Promise<OpenPage> {
  // What serves is loaded for those who ask for it.
  const { servePage } = await import('../runs/serve-page.ts');
  const served = await servePage(engine, {});
  terminal.tell(`Page: ${served.url}/#/runs/${run.id}\n`);
  return {
    untilLeft: async ({ asked }) => {
      terminal.tell(`The page stays open at ${served.url}/#/runs/${run.id} (Ctrl-C ends it; the run can be resumed).\n`);
      await asked;
    },
    [Symbol.asyncDispose]: () => served.close(),
  };
}
