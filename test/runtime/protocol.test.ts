import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createEngine, type Engine } from '../../src/index.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { assertJournal, createMemoryJournal } from '../../src/testing/index.ts';
import { seededRandom } from '../faults/seeded-random.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { mortalJournal } from '../support/runtime/mortal-journal.ts';
import { readLedger, teamOptions } from '../support/runtime/plan-team.ts';
import { until } from '../support/runtime/until.ts';

/** Seeds of this test; more: `PROTOCOL_SEEDS=500`. */
const seeds = Number(process.env['PROTOCOL_SEEDS'] ?? 25);

/** Plays runs on engines that die, with messages that are delivered twice, lose their answers, or go to two engines at once. */
async function play(seed: number): Promise<void> {
  const { below } = seededRandom(seed);
  const often = (percent: number): boolean => below(100) < percent;
  const ledger = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-protocol-')), 'ledger.jsonl');
  const disk = createMemoryJournal();
  const runtime = new LoopRuntime(systemClock, {
    repeats: () => often(20),
    losesAnswer: () => often(20),
    forgetsWorker: () => often(15),
  });
  let workers: { readonly engine: Engine; readonly die: () => void }[] = [];
  const startWorkers = async (): Promise<void> => {
    for (let index = 0; index < 2; index += 1) {
      const { journal, die } = mortalJournal(disk);
      const engine = await createEngine({ ...teamOptions(ledger, disk), store: journal, runtime });
      await engine.work();
      workers.push({ engine, die });
    }
  };
  await startWorkers();
  const engine = await createEngine({ ...teamOptions(ledger, disk), store: disk, runtime });
  const steps = ['look', 'note', 'pay'];
  const plan = (): string => Array.from({ length: 1 + below(4) }, () => `${steps[below(3)]} ${below(30)}`).join('; ');
  const runs = await Promise.all(
    Array.from({ length: 3 }, async () => await engine.launch({ profile: 'Root', input: `plan: ${plan()}; say done` })),
  );
  for (let deaths = below(3); deaths > 0; deaths -= 1) {
    await pause(below(60));
    for (const { die } of workers) die();
    workers = [];
    runtime.forgetWorkers();
    await startWorkers();
  }
  await until(() => runs.every(({ state }) => state.outcome !== undefined), 20);
  for (const run of runs) {
    const events = await disk.read(run.id);
    assertJournal(events);
    expect([seed, run.state.status, run.state.output]).toEqual([seed, 'completed', 'done']);
    // What the launcher folded is what the journal holds.
    expect(run.state.seq).toBe(events.at(-1)?.seq);
    for (const event of events) {
      if (event.type !== 'tool.end') continue;
      const begun = readLedger(ledger).filter(
        (line) => line.runId === run.id && line.callId === event.callId && line.kind === 'begin',
      );
      if (begun[0]?.tool === 'pay')
        expect([seed, event.callId, event.status, begun.length]).toEqual([
          seed,
          event.callId,
          event.status,
          event.status === 'ok' ? 1 : Math.min(1, begun.length),
        ]);
      expect(new Set(begun.map(({ key }) => key)).size).toBeLessThan(2);
    }
  }
  await engine.close();
  for (const worker of workers) await worker.engine.close();
}

it(`${seeds} seeds: duplicated, repeated and lost messages, works at two engines, engines that die`, async () => {
  for (let seed = 1; seed <= seeds; seed += 1) await play(seed);
}, 600_000);
