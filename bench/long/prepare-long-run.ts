/*
 * `node prepare-long-run.ts STORE KIND TURNS`: runs an agent for that many turns in a journal, ends in the middle of the next model call, and
 * prints the id of the run.
 */
import { type LongKind, longEngine, longModel, openJournal } from './long-engine.ts';

const [store = '', kind = 'windowed', turns = '20000'] = process.argv.slice(2);
const waits = Promise.withResolvers<void>();
const journal = await openJournal(store);
const engine = await longEngine(
  journal,
  longModel(Number(turns), () => waits.resolve()),
);
const run = await engine.launch({ profile: kind satisfies string as LongKind, input: 'Add.' });
await Promise.race([waits.promise, run.result.then(({ status }) => Promise.reject(new Error(`the run ended ${status}`)))]);
await engine.close({ graceMs: 0 });
await journal.close();
process.stdout.write(run.id);
