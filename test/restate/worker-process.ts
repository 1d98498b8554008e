/*
 * A worker as a process: `node worker-process.ts LEDGER STORE INGRESS ADMIN PORT NAME`. Prints `ready`, and works until it is killed or gets SIGTERM.
 * A message `{ side, does }` from its parent is for its next commit: before or after that it kills itself, or tells the parent.
 * With CADRE_TEST_SPANS, a file, its calls are traced into that.
 */
import type { EffectTool } from '../../src/core/tool/tool.ts';
import { createEngine } from '../../src/index.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';
import { type CommitSide, withCommitHook } from '../support/runtime/commit-hook.ts';
import { teamOptions } from '../support/runtime/plan-team.ts';
import { traceInto, tracedTools } from '../support/runtime/traced.ts';

/** What a worker is asked to do at its next commit. */
export interface CommitOrder {
  readonly side: CommitSide;
  readonly does: 'die' | 'tell';
}

const [ledger = '', url = '', ingress = '', admin = '', port = '0', name = 'cadre'] = process.argv.slice(2);
let order: CommitOrder | undefined;
process.on('message', (message) => (order = message as CommitOrder));
// Without its parent nobody would end it.
process.once('disconnect', () => process.exit(1));
const inner = createPostgresJournal({ url });
const store = withCommitHook(inner, (side) => {
  if (order?.side !== side) return;
  const { does } = order;
  order = undefined;
  if (does === 'die') process.kill(process.pid, 'SIGKILL');
  else process.send?.('commit');
});
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
