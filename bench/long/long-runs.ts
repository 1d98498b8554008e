import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PostgresServer } from '../../test/support/postgres/postgres-server.ts';
import { median } from '../measure.ts';
import { keptFile, keptSchema } from './kept-snapshot.ts';
import type { LongKind } from './long-engine.ts';
import type { TakenUp } from './take-up.ts';

/** Most milliseconds that taking up a run of 20,000 turns may take. */
const mostMs = 200;

/** Processes that take up each run. */
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 7);

/** Settings of a server as it is in use, on a small machine: what is committed is synced. */
export const serverSettings = {
  shared_buffers: '512MB',
  fsync: 'on',
  autovacuum: 'on',
  max_connections: '100',
  max_wal_size: '4GB',
};

/** Measures how long a new process takes to take up a long run, on SQLite and PostgreSQL; returns false when one takes too long. */
export async function showLongRuns(turns: number): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-long-'));
  const server = await PostgresServer.start(serverSettings);
  const row = (...cells: readonly string[]): void =>
    console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(30) : cell.padStart(12))).join(''));
  let holds = true;
  try {
    console.log(`taking up a run of ${turns} turns in a new process, milliseconds, median of ${rounds} (most)`);
    row('', 'events', 'after snap.', 'messages', 'resumed', 'CPU', 'model called', 'process');
    for (const kind of ['windowed', 'whole'] as const satisfies readonly LongKind[])
      for (const [name, store] of [
        ['SQLite', path.join(folder, `${kind}.db`)],
        ['PostgreSQL', server.url(kind)],
      ] as const) {
        const runId = await output('prepare-long-run.ts', [store, kind, String(turns)]);
        const kept = name === 'SQLite' ? keptFile(store) : await keptSchema(server.url(), kind);
        const taken: TakenUp[] = [];
        for (let round = 0; round < rounds; round += 1) {
          await kept.restore();
          taken.push(JSON.parse(await output('take-up.ts', [store, runId])) as TakenUp);
        }
        const shown = (of: (one: TakenUp) => number): string =>
          `${median(taken.map(of)).toFixed(0)} (${Math.max(...taken.map(of)).toFixed(0)})`;
        const isLate = median(taken.map(({ resume }) => resume)) > mostMs;
        if (isLate) holds = false;
        const [first] = taken;
        const counts = [first?.seq, (first?.seq ?? 0) - (first?.snapshotSeq ?? 0), first?.messages].map(String);
        row(
          `${name}, ${kind} history`,
          ...counts,
          shown(({ resume }) => resume),
          shown(({ cpu }) => cpu),
          shown(({ call }) => call),
          `${shown(({ open }) => open)}${isLate ? '  MISS' : ''}`,
        );
      }
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(holds ? `each is taken up within ${mostMs} ms` : `one takes more than ${mostMs} ms`);
  return holds;
}

/** Runs a script of this folder as a new process, and returns what it prints. */
export function output(script: string, args: readonly string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', path.join(import.meta.dirname, script), ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`${script} ended with ${code}`))));
  });
}
