/*
 * A process of its own that wants a run: `node rival.ts <journal> <run>`. It prints `ready`, waits for a line, tries to take the run
 * up, and prints what came of it and how long that took. The one that has the run keeps it; with each further line it posts an
 * item to it, and prints what came of that. It ends when its input does.
 */
import { createInterface } from 'node:readline';
import { CadreError } from '../../src/core/error.ts';
import type { Run } from '../../src/index.ts';
import { waitingEngine } from './waiting-engine.ts';

const [store = '', runId = ''] = process.argv.slice(2);
const engine = await waitingEngine(store);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
const attempt = async <T>(work: () => Promise<T>): Promise<{ readonly code: string; readonly value?: T }> => {
  try {
    return { code: 'OK', value: await work() };
  } catch (thrown) {
    return { code: thrown instanceof CadreError ? thrown.code : String(thrown) };
  }
};

say({ ready: true });
await lines.next();
const begin = performance.now();
const { code, value: run } = await attempt<Run>(() => engine.resume(runId));
say({ code, ms: performance.now() - begin });
for (let line = await lines.next(); line.done !== true && run !== undefined; line = await lines.next())
  say({ code: (await attempt(() => run.send(line.value))).code });
process.exit(0);
