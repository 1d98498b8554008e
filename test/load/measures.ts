import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cpuMicros } from '../../bench/measure.ts';
import type { Engine, Run } from '../../src/index.ts';
import { clerkEngine, takeTurns } from './clerk.ts';
import { crowdEngine } from './crowd.ts';
import { type Stall, stallInProcess } from './stalled-readers.ts';

/** Hands out a journal file that is gone afterwards. */
async function withStore<T>(work: (store: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-load-'));
  try {
    return await work(path.join(folder, 'journal.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function settledClerk(store: string): Promise<{ readonly engine: Engine; readonly run: Run }> {
  const engine = await clerkEngine(store);
  const run = await engine.launch({ profile: 'Clerk', input: 'Begin.' });
  await run.settled();
  return { engine, run };
}

/** What reading a full inbox came to. */
export interface InboxLoad {
  /** CPU time in microseconds. */
  readonly cpu: number;
  readonly turns: number;
  /** The texts in the order the model read them. */
  readonly read: readonly string[];
  /** Most items one turn read. */
  readonly mostPerTurn: number;
}

/** Posts so many items to one agent at once, and lets it read them all. */
export async function fillInbox(items: number): Promise<InboxLoad> {
  const { engine, run } = await settledClerk('memory');
  const begin = cpuMicros();
  const sent = await Promise.all(Array.from({ length: items }, (_, index) => run.send(`item ${index}`)));
  await Promise.all(sent.map(({ delivered }) => delivered));
  await run.settled();
  const cpu = cpuMicros() - begin;
  const inputs = run.turns().map((turn) => turn.inputs.filter(({ source }) => source === 'USER_PROMPT'));
  await engine.close();
  return {
    cpu,
    turns: inputs.length,
    read: inputs.flat().flatMap(({ content }) => (typeof content === 'string' && content.includes('item ') ? [content] : [])),
    mostPerTurn: Math.max(...inputs.map((list) => list.length)),
  };
}

/** What a crowd of agents at work at once came to. */
export interface CrowdLoad {
  readonly ms: number;
  readonly agents: number;
  readonly completed: boolean;
  readonly turnsPerSecond: number;
  /** 99 of 100 ticks of the event loop were late by at most this much, in milliseconds. */
  readonly delayP99: number;
  readonly rss: number;
}

/** Dispatches a crowd in one call; each worker takes one turn, all at the same time. */
export async function workTogether(size: number): Promise<CrowdLoad> {
  const engine = await crowdEngine('memory', size, () => ({ text: 'done' }));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begin = performance.now();
  const run = await engine.launch({ profile: 'Lead', input: 'Go.' });
  const { status } = await run.result;
  const ms = performance.now() - begin;
  delay.disable();
  const { turns } = run.state.counters;
  const agents = run.state.agents.size - 1;
  await engine.close();
  return {
    ms,
    agents,
    completed: status === 'completed',
    turnsPerSecond: (turns * 1000) / ms,
    delayP99: delay.percentile(99) / 1e6,
    rss: process.memoryUsage().rss,
  };
}

/** What taking up a run with a crowd at work came to. */
export interface CrowdResume {
  readonly ms: number;
  readonly cpuMs: number;
  readonly live: number;
  /** Model calls that were made again. */
  readonly calls: number;
  readonly completed: boolean;
}

/** Stops a run while a crowd waits for its model, and takes it up from SQLite: how long until every call is made again. */
export async function resumeCrowd(size: number): Promise<CrowdResume> {
  return await withStore(async (store) => {
    let asked = Promise.withResolvers<void>();
    let calls = 0;
    let answers = false;
    const works = (): { readonly text: string } | { readonly hang: true } => {
      if (++calls >= size) asked.resolve();
      return answers ? { text: 'done' } : { hang: true };
    };
    const first = await crowdEngine(store, size, works);
    const run = await first.launch({ profile: 'Lead', input: 'Go.' });
    await asked.promise;
    await first.close();
    calls = 0;
    answers = true;
    asked = Promise.withResolvers();
    const engine = await crowdEngine(store, size, works);
    const begin = { wall: performance.now(), cpu: cpuMicros() };
    const resumed = await engine.resume(run.id);
    const live = [...resumed.state.agents.values()].filter(({ status }) => status === 'in_turn').length;
    await asked.promise;
    const ms = performance.now() - begin.wall;
    const cpuMs = (cpuMicros() - begin.cpu) / 1_000;
    const { status } = await resumed.result;
    await engine.close();
    return { ms, cpuMs, live, calls, completed: status === 'completed' };
  });
}

/** What it takes to take up a run with at least so many records: wall time, and CPU time, which does not depend on who else is at work. */
export async function resumeLong(
  records: number,
): Promise<{ readonly ms: number; readonly cpuMs: number; readonly records: number }> {
  return await withStore(async (store) => {
    const { engine, run } = await settledClerk(store);
    while (run.state.seq < records) await takeTurns(run, 100);
    await engine.close();
    const second = await clerkEngine(store);
    const begin = { wall: performance.now(), cpu: cpuMicros() };
    const resumed = await second.resume(run.id);
    const ms = performance.now() - begin.wall;
    const cpuMs = (cpuMicros() - begin.cpu) / 1_000;
    const { seq } = resumed.state;
    await second.close();
    return { ms, cpuMs, records: seq };
  });
}

/** Heap in use after garbage was collected, in bytes. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round++) collect();
  return process.memoryUsage().heapUsed;
}

/** What an agent with a window takes up per turn, once it is past its beginnings. */
export interface Growth {
  readonly turns: number;
  readonly heapPerTurn: number;
  readonly rssGrowth: number;
  /** CPU time of the last tenth of the turns over that of the first. */
  readonly slowdown: number;
}

/** Lets an agent with a window take so many turns on SQLite. */
export async function growOld(turns: number): Promise<Growth> {
  return await withStore(async (store) => {
    const { engine, run } = await settledClerk(store);
    await takeTurns(run, 1_500);
    const heap = heapInUse();
    const { rss } = process.memoryUsage();
    const tenths: number[] = [];
    for (let tenth = 0; tenth < 10; tenth++) {
      const begin = cpuMicros();
      await takeTurns(run, turns / 10);
      tenths.push(cpuMicros() - begin);
    }
    const grown = heapInUse() - heap;
    const result = {
      turns: run.state.counters.turns,
      heapPerTurn: grown / turns,
      rssGrowth: process.memoryUsage().rss - rss,
      slowdown: (tenths.at(-1) ?? 0) / (tenths[0] ?? 1),
    };
    await engine.close();
    return result;
  });
}

/** Lets an agent with a window go on by itself, with nobody speaking to it, for so many turns on SQLite. */
export async function growBusy(turns: number): Promise<Growth> {
  return await withStore(async (store) => {
    const marks: { readonly heap: number; readonly rss: number; readonly cpu: number }[] = [];
    const warm = 1_500;
    let asked = 0;
    const engine = await clerkEngine(store, () => {
      asked++;
      if (asked >= warm && (asked - warm) % (turns / 10) === 0)
        marks.push({ heap: heapInUse(), rss: process.memoryUsage().rss, cpu: cpuMicros() });
      return asked < warm + turns;
    });
    const run = await engine.launch({ profile: 'Clerk', input: 'Begin.' });
    await run.settled();
    const [first, second] = marks;
    const [beforeLast, last] = marks.slice(-2);
    if (first === undefined || second === undefined || beforeLast === undefined || last === undefined)
      throw new Error(`the agent took ${asked} turns only`);
    const result = {
      turns: run.state.counters.turns,
      heapPerTurn: (last.heap - first.heap) / turns,
      rssGrowth: last.rss - first.rss,
      slowdown: (last.cpu - beforeLast.cpu) / (second.cpu - first.cpu),
    };
    await engine.close();
    return result;
  });
}

/** What a consumer that never reads costs the run it watches. */
export interface DeadConsumer {
  readonly events: number;
  readonly rssGrowth: number;
  readonly heapGrowth: number;
  /** CPU time with consumers that never read on, over the time without. */
  readonly slowdown: number;
}

/** Runs the same run with and without readers that read its beginning and never another word. */
export async function deadConsumers(events: number, consumers: number, stall: Stall = stallInProcess): Promise<DeadConsumer> {
  return await withStore(async (store) => {
    const measured = async (
      file: string,
      watchers: number,
    ): Promise<{ cpu: number; events: number; rss: number; heap: number }> => {
      const { engine, run } = await settledClerk(file);
      const letGo = await stall(engine, run, watchers);
      const heap = heapInUse();
      const { rss } = process.memoryUsage();
      const begin = cpuMicros();
      while (run.state.seq < events) await takeTurns(run, 100);
      const cpu = cpuMicros() - begin;
      const result = { cpu, events: run.state.seq, rss: process.memoryUsage().rss - rss, heap: heapInUse() - heap };
      await letGo();
      await engine.close();
      return result;
    };
    await measured(`${store}-warm`, 0);
    const alone = await measured(`${store}-alone`, 0);
    const watched = await measured(`${store}-watched`, consumers);
    return {
      events: watched.events,
      rssGrowth: watched.rss,
      heapGrowth: watched.heap,
      slowdown: watched.cpu / alone.cpu,
    };
  });
}
