/*
 * A process that wants a run: `rival-child.ts resume STORE RUN LEDGER` waits for a line on stdin, takes the run up and says how that
 * went; `rival-child.ts work STORE - LEDGER [LEASE-TIMES]` launches one and works until it is over or taken away; with `hang` its
 * model never answers. It lives until it is killed.
 */
import { appendFileSync } from 'node:fs';
import { once } from 'node:events';
import { CadreError } from '../../src/core/error.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { testEngine } from '../support/test-engine.ts';
import { rivalProfile, rivalTools } from './rival-team.ts';

const [mode = '', store = '', runId = '', ledger = '', leases = '{}'] = process.argv.slice(2);
const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`);

const team = await testEngine({
  profile: rivalProfile,
  tools: rivalTools((line) => appendFileSync(ledger, `${process.pid} ${line}\n`)),
  replies:
    mode === 'work' ? [{ toolCalls: [{ name: 'pay', args: {} }] }, { toolCalls: [{ name: 'pay', args: {} }] }] : [{ hang: true }],
  store: createSqliteJournal(store, { leases: JSON.parse(leases) as object }),
});
// Nothing else keeps a process alive whose model hangs.
setInterval(() => undefined, 60_000);
if (mode === 'work' || mode === 'hang') {
  const run = await team.launch();
  say({ launched: run.id });
  await run.result.catch((error: unknown) => say({ halted: error instanceof CadreError ? error.code : String(error) }));
} else {
  say({ ready: process.pid });
  await once(process.stdin, 'data');
  const began = performance.now();
  try {
    await team.engine.resume(runId);
    say({ won: process.pid });
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    say({
      lost: error.code,
      owner: error.details['owner'],
      since: error.details['since'],
      message: error.message,
      ms: performance.now() - began,
    });
  }
}
