/*
 * A process of its own for the journal contract: `node journal-child.ts <what> <file or URL> <run>`. It prints one line per thing done.
 *   hold       acquires the run, prints `held`, and waits to be killed
 *   append     appends one commit after the other and prints the last sequence number of each one that was acknowledged
 *   compete    tries to acquire the run and append once: prints `won` or the code of the error
 *   write      appends 200 notes to a run of its own, prints `done`
 */
import { writeSync } from 'node:fs';
import { CadreError } from '../../src/core/error.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { isPostgresUrl } from '../../src/journal/postgres/postgres-url.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { note, sampleCommit, sampleContent, sampleOwner, sampleRun } from './journal-samples.ts';

const [what, file = '', run = ''] = process.argv.slice(2);
const runId = sampleRun(run);

function open(): Journal {
  return isPostgresUrl(file) ? createPostgresJournal({ url: file }) : createSqliteJournal(file);
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Appends `count` commits of several events and a text each. */
async function append(count: number): Promise<void> {
  const journal = open();
  const lease = await journal.acquire(runId, sampleOwner('child'));
  for (let index = 0, seq = 0; index < count; index += 1, seq += 3) {
    const contents = [sampleContent(`hash-${index}`, `text ${index}`)];
    await journal.append(lease, sampleCommit(runId, seq, [note(`a${index}`), note(`b${index}`), note(`c${index}`)], { contents }));
    if (what === 'append') say(String(seq + 3));
  }
  await journal.close();
}

async function compete(): Promise<string> {
  const journal = open();
  try {
    const lease = await journal.acquire(runId, sampleOwner('rival'));
    await journal.append(lease, sampleCommit(runId, 0, [note('mine')]));
    return 'won';
  } catch (error) {
    return error instanceof CadreError ? error.code : String(error);
  }
}

switch (what) {
  case 'hold': {
    await open().acquire(runId, sampleOwner('child'));
    say('held');
    setInterval(() => undefined, 1000);
    break;
  }
  case 'append':
    await append(Infinity);
    break;
  case 'write':
    await append(200);
    say('done');
    break;
  case 'compete':
    say(await compete());
    // Keeps the lease until the process is ended, as a working engine would.
    process.stdin.resume();
    process.stdin.on('end', () => process.exit(0));
    break;
  default:
    throw new Error(`unknown task ${String(what)}`);
}
