import type { Engine } from '../../engine/engine.ts';
import type { Run } from '../../engine/run.ts';
import type { Interruption } from './interruption.ts';
import type { Terminal } from './terminal.ts';

/** Page served beside a run; disposing closes it. */
export interface OpenPage extends AsyncDisposable {
  /** Keeps the page open until a signal asks to stop; its run can still be inspected and sent messages. */
  untilInterrupted(interruption: Interruption): Promise<void>;
}

/** Serves the page of an engine and prints the address of a run. */
export async function openPage(engine: Engine, run: Run, terminal: Terminal): Promise<OpenPage> {
  // The server is imported only when needed.
  const { servePage } = await import('../runs/serve-page.ts');
  const served = await servePage(engine, {});
  terminal.tell(`Page: ${served.url}/#/runs/${run.id}\n`);
  return {
    untilInterrupted: async ({ asked }) => {
      terminal.tell(`The page stays open at ${served.url}/#/runs/${run.id} (Ctrl-C closes it; the run can be resumed).\n`);
      await asked;
    },
    [Symbol.asyncDispose]: () => served.close(),
  };
}
