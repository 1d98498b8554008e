/**
 * A process of its own that works on one run: `payment-child.ts pay STORE LEDGER` launches it and is killed in the middle of its
 * payment; `payment-child.ts hold STORE LEDGER RUN` resumes it and keeps it.
 */
import { openPaymentTeam } from './payment-team.ts';

const [mode = '', store = '', ledger = '', runId = ''] = process.argv.slice(2);
const tell = (word: string): void => void process.stdout.write(`${word}\n`);

if (mode === 'pay') {
  const engine = await openPaymentTeam({
    store,
    ledger,
    replies: [{ toolCalls: [{ name: 'pay', args: { amount: 10 } }] }],
    onPaid: async () => {
      await run.send('And be quick.');
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => undefined);
    },
  });
  const run = await engine.launch({ profile: 'Payer', input: 'Pay 10.' });
  tell(run.id);
} else {
  const engine = await openPaymentTeam({ store, ledger, replies: [{ hang: true }] });
  await engine.resume(runId);
  tell('held');
  // The model hangs, and nothing else keeps a process alive.
  setInterval(() => undefined, 60_000);
}
