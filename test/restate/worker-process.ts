/*
 * A worker as a process: `node worker-process.ts LEDGER STORE INGRESS ADMIN PORT NAME`. Prints `ready`, and works until it is killed or gets SIGTERM.
 */
import { createEngine } from '../../src/index.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';

const [ledger = '', url = '', ingress = '', admin = '', port = '0', name = 'cadre'] = process.argv.slice(2);
const store = createPostgresJournal({ url });
const runtime = restateRuntime({ ingress, admin, name, worker: { port: Number(port), sharePort: true } });
const engine = await createEngine({ ...teamOptions(ledger, store), store, runtime });
await engine.work();
process.stdout.write('ready\n');
process.once('SIGTERM', () => {
  void engine
    .close()
    .then(() => store.close())
    .then(() => process.exit(0));
});
