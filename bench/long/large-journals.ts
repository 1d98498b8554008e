import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PostgresServer } from '../../test/support/postgres/postgres-server.ts';
import type { RunId } from '../../src/core/ids.ts';
import { hasWords } from '../../src/inspect/run-words.ts';
import { plainModel } from '../floor.ts';
import { median } from '../measure.ts';
import { copyInFile, copyInSchema } from './copy-runs.ts';
import { keptSchema } from './kept-snapshot.ts';
import { longEngine, openJournal } from './long-engine.ts';
import { output, serverSettings } from './long-runs.ts';
import type { TakenUp } from './take-up.ts';

/** Turns of the copied runs: about 200 events each. */
const turnsEach = 25;

/** Turns of the run that is resumed. */
const longTurns = 2_000;

const repeats = 7;

/** Runs in the small journal. */
const fewRuns = 500;

/** How many times slower a look at a large journal may be than at a small one. Reads of a millisecond vary by as much. */
const mostTimes = 3;

/** Looks whose cost must not depend on the size of the journal, and one, the search, that reads the list of runs. */
const looks = ['list of 200', 'open runs', 'one run', 'why: a turn', 'read a run', 'resume', 'search'] as const;

type Figures = Readonly<Record<(typeof looks)[number], number>>;

/** Measures what people do with a journal of few events and one of many; returns false when a look slows down with its size. */
export async function showLargeJournals(events: number): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-large-'));
  const server = await PostgresServer.start(serverSettings);
  let holds = true;
  try {
    for (const [name, store] of [
      ['SQLite', path.join(folder, 'journal.db')],
      ['PostgreSQL', server.url('large')],
    ] as const) {
      const longId = await output('prepare-long-run.ts', [store, 'windowed', String(longTurns)]);
      const { runId, lastSeq } = await ordinaryRun(store);
      const copy = (copies: number, prefix: string): void | Promise<void> =>
        name === 'SQLite'
          ? copyInFile(store, { runId, copies, prefix })
          : copyInSchema(server.url(), 'large', { runId, copies, prefix });
      await copy(fewRuns, 'run_few');
      const small = await lookAt(store, runId, longId, await keep(store, server));
      const copies = Math.ceil(events / lastSeq);
      const began = performance.now();
      await copy(copies, 'run_many');
      const size = name === 'SQLite' ? statSync(store).size : await sizeOf(server);
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      console.log(
        `\n${name}: ${copies} copies of a run of ${lastSeq} events, ${(size / 2 ** 20).toFixed(0)} MiB, made in ${seconds} s`,
      );
      const large = await lookAt(store, runId, longId, await keep(store, server));
      for (const look of looks) {
        const isSlow = look !== 'search' && large[look] > mostTimes * small[look] + 2;
        if (isSlow) holds = false;
        const cells = [small[look], large[look]].map((ms) => ms.toFixed(1).padStart(10));
        console.log(`${look.padEnd(16)}${cells.join('')} ms${isSlow ? '  MISS' : ''}`);
      }
    }
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  return holds;
}

async function sizeOf(server: PostgresServer): Promise<number> {
  const [row] = await server.query(
    `SELECT sum(pg_total_relation_size(oid))::float8 AS size FROM pg_class WHERE relnamespace = 'large'::regnamespace AND relkind = 'r'`,
  );
  return Number(row?.['size']);
}

function keep(store: string, server: PostgresServer): Promise<{ restore(): Promise<void> }> | { restore(): Promise<void> } {
  // A copy of a large file would take longer than what is measured, and a process adds few events.
  return store.startsWith('postgres://') ? keptSchema(server.url(), 'large') : { restore: () => Promise.resolve() };
}

async function ordinaryRun(store: string): Promise<{ readonly runId: RunId; readonly lastSeq: number }> {
  const journal = await openJournal(store);
  const engine = await longEngine(journal, plainModel({ turns: turnsEach }));
  const run = await engine.launch({ profile: 'windowed', input: 'Add numbers.' });
  const { status } = await run.result;
  if (status !== 'completed') throw new Error(`the run ended ${status}`);
  await engine.close();
  await journal.close();
  return { runId: run.id as RunId, lastSeq: run.state.seq };
}

async function lookAt(store: string, runId: RunId, longId: string, kept: { restore(): Promise<void> }): Promise<Figures> {
  const journal = await openJournal(store);
  const time = async (look: () => unknown): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < repeats; round += 1) {
      const before = performance.now();
      await look();
      times.push(performance.now() - before);
    }
    return median(times);
  };
  const resume: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await kept.restore();
    resume.push((JSON.parse(await output('take-up.ts', [store, longId])) as TakenUp).resume);
  }
  const figures: Figures = {
    'list of 200': await time(() => journal.runs({ limit: 200 })),
    'open runs': await time(() => journal.runs({ isOpen: true })),
    'one run': await time(() => journal.runs({ runId })),
    'why: a turn': await time(() => journal.turnEvents?.(runId, 'last')),
    'read a run': await time(() => journal.read(runId)),
    resume: median(resume),
    search: await time(async () => (await journal.runs()).filter((run) => hasWords(run, 'numbers. 77'))),
  };
  await journal.close();
  return figures;
}
