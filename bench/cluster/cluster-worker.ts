/*
 * A worker as a process: `fork`ed with STORE INGRESS ADMIN PORT NAME. Says `ready`, and answers each message with the CPU time that it has used.
 */
import { createEngine } from '../../src/index.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';
import { cpuMicros } from '../measure.ts';
import { clusterTeam } from './cluster-team.ts';

const [url = '', ingress = '', admin = '', port = '0', name = 'cadre'] = process.argv.slice(2);
const store = createPostgresJournal({ url });
const runtime = restateRuntime({ ingress, admin, name, worker: { port: Number(port), sharePort: true } });
const engine = await createEngine({ ...clusterTeam, store, runtime });
await engine.work();
process.on('message', () => process.send?.(cpuMicros()));
process.send?.('ready');
process.once('disconnect', () => process.exit(0));
