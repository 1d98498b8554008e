/*
 * A process that holds a run: `lease-child.ts FILE RUN HEARTBEAT_MS EXPIRY_MS` acquires it, begins it, says `held OWNER`, and then appends a
 * note for each line it reads: it says `appended`, or the code of the error. It lives until it is killed.
 */
import { writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { CadreError } from '../../src/core/error.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { note, runBegin, sampleCommit, sampleRun } from '../contracts/journal-samples.ts';

const [file = '', run = '', heartbeatMs = '', expiryMs = ''] = process.argv.slice(2);
const runId = sampleRun(run);
const owner = `${process.pid}@${hostname()}#child`;
const journal = createSqliteJournal(file, { leases: { heartbeatMs: Number(heartbeatMs), expiryMs: Number(expiryMs) } });
const lease = await journal.acquire(runId, owner);
let seq = (await journal.runs({ runId }))[0]?.lastSeq ?? 0;
if (seq === 0) {
  await journal.append(lease, sampleCommit(runId, 0, runBegin('held')));
  seq = 2;
}
writeSync(1, `held ${owner}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  try {
    await journal.append(lease, sampleCommit(runId, seq, [note(line)]));
    seq += 1;
    writeSync(1, 'appended\n');
  } catch (error) {
    writeSync(1, `${error instanceof CadreError ? error.code : String(error)}\n`);
  }
}
