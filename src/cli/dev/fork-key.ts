import { terminalBy } from '../access/local-by.ts';
import type { Engine } from '../../engine/engine.ts';
import { CadreError, describeThrown } from '../../core/error.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';

/** Settings of `forkOnKey`. */
export interface ForkKeyOptions {
  readonly engine: Engine;
  readonly tell: (text: string) => void;
  /** Returns the address of a run's page. */
  readonly pageOf: (runId: string) => string;
}

/** Key that forks the newest run. */
const forkKey = 'f';

/** Forks the newest run at its last turn whenever `f` is pressed; Ctrl-C still interrupts. Does nothing without a terminal. */
export function forkOnKey({ engine, tell, pageOf }: ForkKeyOptions): Disposable {
  const { stdin } = process;
  if (!stdin.isTTY) return { [Symbol.dispose]: () => undefined };
  const onKey = (bytes: Buffer): void => {
    const keys = bytes.toString('latin1');
    // A raw terminal sends no signal itself.
    if (keys.includes('\u0003')) process.kill(process.pid, 'SIGINT');
    else if (keys === forkKey) void forkNewest(engine).then((runId) => tell(`Forked: ${pageOf(runId)}\n`), fail);
  };
  const fail = (thrown: unknown): void =>
    tell(`error: ${toTerminalText(describeThrown(thrown), { maxLine: 2_000, maxLines: 20 })}\n`);
  stdin.setRawMode(true);
  stdin.on('data', onKey);
  stdin.unref();
  return {
    [Symbol.dispose]: () => {
      stdin.off('data', onKey);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}

/** Starts a run with the history of the newest one up to its last turn, which the current profiles take again. Returns its id. */
export async function forkNewest(engine: Engine): Promise<string> {
  const newest = (await engine.runs()).find(({ isImported }) => isImported !== true);
  if (newest === undefined) throw new CadreError('RUN_UNKNOWN', 'there is no run to fork; launch one on the page');
  const last = (await engine.open(newest.runId)).turns().at(-1);
  if (last === undefined) throw new CadreError('RUN_UNKNOWN', `run ${safe(newest.runId)} has taken no turn yet`);
  const run = await engine.fork(newest.runId, { before: last.turnId, profiles: 'current', ...terminalBy() });
  return run.id;
}
