import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine, type Engine } from '../../src/index.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { type RuntimeCase, runtimeContract } from '../contracts/runtime-contract.ts';
import { type LoopFaults, LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { mortalJournal } from '../support/runtime/mortal-journal.ts';
import { readLedger, teamOptions } from '../support/runtime/plan-team.ts';

const newLedger = (): string => path.join(mkdtempSync(path.join(tmpdir(), 'cadre-runtime-')), 'ledger.jsonl');

/** Engines that advance their runs in their own process. */
async function openLocal(): Promise<RuntimeCase> {
  const ledger = newLedger();
  const disk = createMemoryJournal();
  const open = async () => {
    const mortal = mortalJournal(disk);
    return { ...mortal, engine: await createEngine({ ...teamOptions(ledger, disk), store: mortal.journal }) };
  };
  let current = await open();
  return {
    get engine() {
      return current.engine;
    },
    journal: disk,
    get did() {
      return readLedger(ledger);
    },
    crash: async (run) => {
      current.die();
      current = await open();
      return await current.engine.resume(run.id);
    },
    close: async () => await current.engine.close(),
  };
}

/** Engines of a runtime inside this process. */
async function openLoop(faults: LoopFaults = {}): Promise<RuntimeCase> {
  const ledger = newLedger();
  const disk = createMemoryJournal();
  const runtime = new LoopRuntime(systemClock, faults);
  const workers = new Set<{ readonly engine: Engine; readonly die: () => void }>();
  const addWorker = async (): Promise<void> => {
    const { journal, die } = mortalJournal(disk);
    const engine = await createEngine({ ...teamOptions(ledger, disk), store: journal, runtime });
    await engine.work();
    workers.add({ engine, die });
  };
  await addWorker();
  await addWorker();
  const engine = await createEngine({ ...teamOptions(ledger, disk), store: disk, runtime });
  return {
    engine,
    journal: disk,
    get did() {
      return readLedger(ledger);
    },
    crash: async (run) => {
      for (const worker of workers) worker.die();
      workers.clear();
      runtime.forgetWorkers();
      await addWorker();
      await addWorker();
      return run;
    },
    close: async () => {
      await engine.close();
      for (const worker of workers) await worker.engine.close();
    },
  };
}

runtimeContract('in this process', openLocal);
runtimeContract('workers of a loop', openLoop);
runtimeContract('workers of a loop that delivers twice and loses answers', async () => {
  let count = 0;
  const everyThird = (): boolean => (count += 1) % 3 === 0;
  return await openLoop({ repeats: everyThird, losesAnswer: everyThird });
});
