/*
 * A process that advances a run: `node streaming-child.ts STORE SECRET`. Its model says a secret, slowly; the run waits for messages. Each line of
 * the input is a message; prints the run's id at first, and `settled` after each turn.
 */
import { createInterface } from 'node:readline';
import { createEngine } from '../../../src/index.ts';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { profileFiles, waitsForUser } from '../../support/test-engine.ts';

const [url = '', secret = ''] = process.argv.slice(2);
const store = createPostgresJournal({ url });
const text = `The key is ${secret}; keep ${secret} to yourself.`;
const engine = await createEngine({
  profiles: { files: profileFiles({ Chat: waitsForUser }) },
  models: { m: scriptedModel(() => ({ text, delayMs: 150 })) },
  secrets: [secret],
  team: false,
  store,
});
const run = await engine.launch({ profile: 'Chat', input: 'Say it.' });
process.stdout.write(`${run.id}\n`);
await run.settled();
process.stdout.write('settled\n');
for await (const line of createInterface({ input: process.stdin })) {
  await run.send(line);
  await run.settled();
  process.stdout.write('settled\n');
}
await engine.close();
await store.close();
