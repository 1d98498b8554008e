import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { showClusterScale } from './cluster/cluster-scale.ts';
import { benchEngine } from './engine-run.ts';
import { fanOut } from './fan-out.ts';
import { floorLoop, plainModel } from './floor.ts';
import { showLargeJournals } from './long/large-journals.ts';
import { showLongRuns } from './long/long-runs.ts';
import { interleaved } from './measure.ts';
import { showCounts } from './show-counts.ts';
import { showTable } from './table/show-table.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const folder = mkdtempSync(path.join(tmpdir(), 'cadre-bench-'));
let failures = 0;

/** Prints one row and checks it against its limit. */
function row(name: string, value: number, limit: number, detail: string): void {
  const ok = value <= limit;
  if (!ok) failures++;
  console.log(`${ok ? 'ok  ' : 'MISS'} ${name.padEnd(46)} ${value.toFixed(2).padStart(8)}  (at most ${limit})  ${detail}`);
}

async function inMemory(): Promise<void> {
  const per: Record<number, { floor: number; engine: number }> = {};
  for (const turns of [10, 100, 1000]) {
    const repeat = Math.max(1, Math.round(2000 / turns));
    const model = plainModel({ turns });
    const engine = await benchEngine({ bench: model }, 'memory');
    const many = async (job: () => Promise<unknown>): Promise<void> => {
      for (let index = 0; index < repeat; index++) await job();
    };
    const costs = await interleaved(
      {
        floor: () => many(() => floorLoop(model)),
        engine: () => many(async () => await (await engine.launch({ profile: 'Adder', input: 'Add.' })).result),
      },
      rounds,
    );
    await engine.close();
    const each = turns * repeat;
    per[turns] = { floor: costs.floor.cpu / each, engine: costs.engine.cpu / each };
    const { floor, engine: ours } = per[turns];
    row(`memory: CPU per turn, N=${turns}, × floor`, ours / floor, 6, `${ours.toFixed(1)} µs against ${floor.toFixed(1)} µs`);
  }
  const at100 = per[100]?.engine ?? Number.NaN;
  const at1000 = per[1000]?.engine ?? Number.NaN;
  row('memory: turn at N=1000 × turn at N=100', at1000 / at100, 1.3, `${at1000.toFixed(1)} µs against ${at100.toFixed(1)} µs`);
}

async function durable(): Promise<void> {
  const bytes: Record<number, number> = {};
  for (const turns of [100, 1000]) {
    const model = plainModel({ turns });
    const repeat = 1000 / turns;
    let content = 0;
    const database = openFloor(path.join(folder, `floor-${turns}.db`));
    const insert = database.prepare('INSERT INTO turns (body) VALUES (?)');
    const engine = await benchEngine({ bench: model }, path.join(folder, `engine-${turns}.db`));
    const costs = await interleaved(
      {
        floor: async () => {
          for (let index = 0; index < repeat; index++) {
            content = 0;
            await floorLoop(model, {
              onTurn: (messages) => {
                const body = JSON.stringify(messages);
                content += body.length;
                insert.run(body);
              },
            });
          }
        },
        engine: async () => {
          for (let index = 0; index < repeat; index++) await (await engine.launch({ profile: 'Adder', input: 'Add.' })).result;
        },
      },
      rounds,
    );
    database.close();
    await engine.close();
    const floor = costs.floor.cpu / 1000;
    const ours = costs.engine.cpu / 1000;
    row(
      `SQLite: CPU per turn, N=${turns}, × floor with one append`,
      ours / floor,
      4,
      `${ours.toFixed(1)} µs against ${floor.toFixed(1)} µs`,
    );
    bytes[turns] = await bytesOf(model, turns);
    const perTurn = bytes[turns] / turns;
    row(
      `SQLite: bytes per turn, N=${turns}, × new content`,
      perTurn / (content / turns),
      3,
      `${perTurn.toFixed(0)} B against ${(content / turns).toFixed(0)} B`,
    );
  }
  row('SQLite: bytes per turn at N=1000 × at N=100', (bytes[1000] ?? 0) / 1000 / ((bytes[100] ?? 1) / 100), 1.05, 'flat in N');
}

/** Returns the bytes that one run adds to a journal file; the pages of empty tables and indexes are there for any number of runs. */
async function bytesOf(model: ReturnType<typeof plainModel>, turns: number): Promise<number> {
  const store = path.join(folder, `bytes-${turns}.db`);
  await (await benchEngine({ bench: model }, store)).close();
  const empty = statSync(store).size;
  const engine = await benchEngine({ bench: model }, store);
  await (
    await engine.launch({ profile: 'Adder', input: 'Add.' })
  ).result;
  await engine.close();
  return statSync(store).size - empty;
}

function openFloor(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE turns (seq INTEGER PRIMARY KEY, body TEXT)');
  return database;
}

async function streaming(): Promise<void> {
  const deltas = 20_000;
  const model = plainModel({ turns: 0, deltas });
  const engine = await benchEngine({ bench: model }, 'memory');
  let seen = 0;
  const costs = await interleaved(
    {
      floor: () => floorLoop(model, { onDelta: (text) => void (seen += text.length) }),
      engine: async () => {
        const run = await engine.launch({ profile: 'Adder', input: 'Add.' });
        run.subscribe({ onDelta: (_agent, _turn, delta) => void (seen += delta.text.length) });
        await run.result;
      },
    },
    rounds,
  );
  await engine.close();
  row(
    'streaming: CPU per delta × floor',
    costs.engine.cpu / costs.floor.cpu,
    3,
    `${(costs.engine.cpu / deltas).toFixed(2)} µs against ${(costs.floor.cpu / deltas).toFixed(2)} µs`,
  );
}

/** Times the engine against the bare loop; returns false when a ratio is above its limit. */
async function showRatios(): Promise<boolean> {
  await inMemory();
  await durable();
  await streaming();
  for (const result of await fanOut(rounds)) row(result.name, result.value, result.limit, result.detail);
  console.log(failures === 0 ? 'every aim is met' : `${failures} aim(s) missed`);
  return failures === 0;
}

const { values } = parseArgs({
  options: {
    counts: { type: 'boolean', default: false },
    table: { type: 'boolean', default: false },
    against: { type: 'string' },
    only: { type: 'string', multiple: true },
    long: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    turns: { type: 'string', default: '20000' },
    events: { type: 'string', default: '10000000' },
    cluster: { type: 'boolean', default: false },
    runs: { type: 'string', default: '1000' },
    associates: { type: 'string', default: '1000' },
  },
});

/** Does what the options ask for; returns false when a limit or an aim is missed. */
function show(): Promise<boolean> {
  if (values.table) return showTable({ against: values.against, only: values.only, rounds });
  if (values.counts) return showCounts();
  if (values.long) return showLongRuns(Number(values.turns));
  if (values.large) return showLargeJournals(Number(values.events));
  if (values.cluster)
    return showClusterScale({ soloRuns: 200, teamRuns: Number(values.runs), associates: Number(values.associates) });
  return showRatios();
}

try {
  process.exitCode = (await show()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
