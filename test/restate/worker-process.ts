/*
 * A worker as a process: `node worker-process.ts LEDGER STORE INGRESS ADMIN PORT NAME`. Prints `ready`, and works until it is killed or gets SIGTERM.
 * With CADRE_TEST_SPANS, a file, its calls are traced into that.
 */
import type { EffectTool } from '../../src/core/tool/tool.ts';
import { createEngine } from '../../src/index.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';
import { traceInto, tracedTools } from '../support/runtime/traced.ts';

const [ledger = '', url = '', ingress = '', admin = '', port = '0', name = 'cadre'] = process.argv.slice(2);
const store = createPostgresJournal({ url });
const runtime = restateRuntime({ ingress, admin, name, worker: { port: Number(port), sharePort: true } });
const spans = process.env['CADRE_TEST_SPANS'];
const team = teamOptions(ledger, store);
const traced =
  spans === undefined
    ? {}
    : { tools: tracedTools(team.tools as readonly EffectTool[]), aroundCall: (await traceInto(spans)).aroundCall };
const engine = await createEngine({ ...team, ...traced, store, runtime });
await engine.work();
process.stdout.write('ready\n');
process.once('SIGTERM', () => {
  void engine
    .close()
    .then(() => store.close())
    .then(() => process.exit(0));
});
