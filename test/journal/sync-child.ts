/*
 * A process that is watched while it syncs: `sync-child.ts FILE` launches 50 runs at once over the journal of that name and says `launched`
 * when all are acknowledged.
 */
import { writeSync } from 'node:fs';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

const [store = ''] = process.argv.slice(2);
const team = await testEngine({ profile: waitsForUser, store, replies: () => ({ hang: true }) });
await Promise.all(Array.from({ length: 50 }, async () => await team.launch()));
writeSync(1, 'launched\n');
process.exit(0);
