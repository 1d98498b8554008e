import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { floorLoop, plainModel } from '../floor.ts';
import { bytesLeft, cost, settledHeap } from '../measure.ts';
import type { Figures, Probe } from './probe.ts';

/** Turns per process: the first thousand, where most users are. A third of their cost is the compiler of V8. */
const turnsPerProcess = 1_000;
const deltas = 20_000;

/** Opens a file for the floor's rows; `synchronous` as in SQLite. */
export function openRows(file: string, synchronous: 'NORMAL' | 'FULL'): { readonly insert: (row: unknown) => void; close(): void } {
  const database = new DatabaseSync(file);
  database.exec(
    `PRAGMA journal_mode=WAL; PRAGMA synchronous=${synchronous}; CREATE TABLE turns (seq INTEGER PRIMARY KEY, body TEXT)`,
  );
  const insert = database.prepare('INSERT INTO turns (body) VALUES (?)');
  return { insert: (row) => void insert.run(JSON.stringify(row)), close: () => database.close() };
}

/** Measures tool turns in runs of `turns` turns, `total` of them in one process. */
function turnProbe(
  turns: number,
  store: 'memory' | 'sqlite',
  effect: 'pure' | 'unsafe' = 'pure',
  total: number = turnsPerProcess,
): Probe {
  const model = plainModel({ turns });
  const repeat = total / turns;
  return {
    floor: async (folder) => {
      const rows =
        store === 'memory' ? undefined : openRows(path.join(folder, 'floor.db'), effect === 'unsafe' ? 'FULL' : 'NORMAL');
      const options = rows === undefined ? {} : { onTurn: rows.insert };
      const figures = await perTurn(total, async () => {
        for (let run = 0; run < repeat; run++) await floorLoop(model, options);
      });
      rows?.close();
      return figures;
    },
    engine: async (open, folder) => {
      const engine = await open({ bench: model }, store === 'memory' ? 'memory' : path.join(folder, 'engine.db'), effect);
      const figures = await perTurn(total, async () => {
        for (let run = 0; run < repeat; run++) {
          const { status } = await (await engine.launch({ profile: 'Adder', input: 'Add.' })).result;
          if (status !== 'completed') throw new Error(`a run of ${turns} turns ended ${status}`);
        }
      });
      await engine.close();
      return figures;
    },
  };
}

async function perTurn(turns: number, work: () => Promise<void>): Promise<Figures> {
  const { cpu, wall } = await cost(work);
  return { cpu: cpu / turns, wall: (wall * 1_000) / turns };
}

/** Heap that a run keeps, in kilobytes per turn, after a full collection. */
const heapProbe: Probe = {
  floor: () => heapKept(() => floorLoop(plainModel({ turns: turnsPerProcess }))),
  engine: async (open) => {
    const engine = await open({ bench: plainModel({ turns: turnsPerProcess }) }, 'memory');
    const figures = await heapKept(async () => {
      const run = await engine.launch({ profile: 'Adder', input: 'Add.' });
      await run.result;
      return run;
    });
    await engine.close();
    return figures;
  },
};

async function heapKept(work: () => Promise<unknown>): Promise<Figures> {
  // What is built once per process is no part of a turn.
  await work();
  const before = await settledHeap();
  const kept = await work();
  const kilobytes = ((await settledHeap()) - before) / 1024 / turnsPerProcess;
  if (kept === undefined) throw new Error('the measured work returns what it keeps');
  return { kilobytes };
}

/** Turns of a warm process: their cost, and the kilobytes that minor collections leave to the next full one. */
const warmProbe: Probe = {
  floor: () => warmTurns(() => floorLoop(plainModel({ turns: turnsPerProcess }))),
  engine: async (open) => {
    const engine = await open({ bench: plainModel({ turns: turnsPerProcess }) }, 'memory');
    const figures = await warmTurns(async () => (await engine.launch({ profile: 'Adder', input: 'Add.' })).result);
    await engine.close();
    return figures;
  },
};

async function warmTurns(run: () => Promise<unknown>): Promise<Figures> {
  const repeat = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await run();
  };
  await repeat(40);
  const left = await bytesLeft(() => repeat(20));
  // So many that a full collection or two are among them, in each process.
  const { cpu } = await cost(() => repeat(60));
  return { cpu: cpu / (60 * turnsPerProcess), kilobytes: left / 1024 / (20 * turnsPerProcess) };
}

/** Streamed deltas, after a first run of them. */
const deltaProbe: Probe = {
  floor: async () => {
    const model = plainModel({ turns: 0, deltas });
    let seen = 0;
    const stream = (): Promise<unknown> => floorLoop(model, { onDelta: (text) => void (seen += text.length) });
    await stream();
    return { cpu: (await cost(stream)).cpu / deltas, seen };
  },
  engine: async (open) => {
    const engine = await open({ bench: plainModel({ turns: 0, deltas }) }, 'memory');
    let seen = 0;
    const stream = async (): Promise<void> => {
      const run = await engine.launch({ profile: 'Adder', input: 'Add.' });
      run.subscribe({ onDelta: (_agent, _turn, delta) => void (seen += delta.text.length) });
      await run.result;
    };
    await stream();
    const { cpu } = await cost(stream);
    await engine.close();
    return { cpu: cpu / deltas, seen };
  },
};

/** Measurements of turns of one run. */
export const turnProbes: Readonly<Record<string, Probe>> = {
  'memory-100': turnProbe(100, 'memory'),
  'memory-1000': turnProbe(1_000, 'memory'),
  'first-200': turnProbe(100, 'memory', 'pure', 200),
  'first-2000': turnProbe(100, 'memory', 'pure', 2_000),
  'first-32000': turnProbe(100, 'memory', 'pure', 32_000),
  'sqlite-100': turnProbe(100, 'sqlite'),
  'sqlite-1000': turnProbe(1_000, 'sqlite'),
  'unsafe-100': turnProbe(100, 'sqlite', 'unsafe'),
  'unsafe-1000': turnProbe(1_000, 'sqlite', 'unsafe'),
  heap: heapProbe,
  warm: warmProbe,
  delta: deltaProbe,
};
