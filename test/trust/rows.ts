import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sweepCuts, sweepMutations } from '../faults/cut-sweep.ts';
import { killSweep } from '../kill/kill-sweep.ts';
import {
  type DeadConsumer,
  deadConsumers,
  fillInbox,
  growBusy,
  growOld,
  resumeCrowd,
  resumeLong,
  workTogether,
} from '../load/measures.ts';
import { stallOverHttp } from '../load/stalled-readers.ts';
import { fuzzProfiles } from '../profiles/fuzz-profiles.ts';
import { corruptJournals } from './corrupt-journals.ts';
import { runFaultTable } from './fault-table.ts';
import { hangs } from './hangs.ts';
import { rivals } from './rivals.ts';
import { runScript } from './run-script.ts';
import { runVitest } from './run-vitest.ts';
import { attackLists, secretLists } from './lists.ts';

/** What measuring a promise came to. */
export interface Measured {
  readonly ok: boolean;
  readonly numbers: string;
}

/** One promise of the trust table. */
export interface TrustRow {
  readonly id: string;
  readonly promise: string;
  readonly goal: string;
  readonly measure: (quick: boolean) => Promise<Measured>;
  /** Left out of the short version. */
  readonly isLong?: boolean;
}

/** The seed of everything that draws lots here; the same for every run, so that what fails can be seen again. */
export const seed = 20_261_121;

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** All rows, in the order they are printed. */
export const trustRows: readonly TrustRow[] = [
  {
    id: 'N1',
    promise: 'the table of faults that every engine can be put through, with nothing configured',
    goal: '25 of 25',
    measure: async () => {
      const rows = (await runVitest(['test/faults/fault-table.test.ts'])).filter(({ title }) => !title.endsWith('has 25 rows'));
      const kept = rows.filter(({ passed }) => passed).length;
      return { ok: kept >= 25 && kept === rows.length, numbers: `${kept} of ${rows.length}` };
    },
  },
  {
    id: 'N1b',
    promise: 'every fault of docs/faults.md has its behaviour',
    goal: 'all rows',
    isLong: true,
    measure: async () => {
      const { rows, tests, failed } = await runFaultTable();
      return {
        ok: failed.length === 0,
        numbers: `${rows - failed.length} of ${rows} rows, ${tests} tests${failed.length === 0 ? '' : `; not: ${failed.join('; ')}`}`,
      };
    },
  },
  {
    id: 'N2',
    promise: 'killed at any moment, resumed; nothing lost, nothing silently twice',
    goal: '400 kills, 100 %',
    measure: async (quick) => {
      const size = quick ? { everyWrite: 8, random: 6, recovery: 3 } : { everyWrite: 1, random: 45, recovery: 25 };
      const { kills, resumed, lost, repeated, problems } = await withFolder((folder) => killSweep(folder, { ...size, seed }));
      return {
        ok: problems.length === 0 && resumed === kills && lost === 0 && repeated === 0 && (quick || kills >= 400),
        numbers: `${kills} kills, ${resumed} resumed to the same report, ${lost} lost, ${repeated} silently repeated${problems.length === 0 ? '' : `; ${problems[0]}`}`,
      };
    },
  },
  {
    id: 'N3',
    promise: 'simulated runs with faults hold every invariant',
    goal: '100,000 runs, 0 violations',
    measure: (quick) => script('simulate', quick ? ['--runs', '5000'] : []),
  },
  {
    id: 'N4',
    promise: 'bugs planted in the source are found by the simulation',
    goal: '25 of 25',
    isLong: true,
    measure: () => script('simulate', ['--mutants']),
  },
  {
    id: 'N5',
    promise: 'streams cut at every byte or spoilt: no tool runs on anything but its whole arguments',
    goal: '3,000 cuts, 2,000 mutations, 0 wrong',
    measure: async (quick) => {
      const cuts = await sweepCuts(quick ? 'by turns' : 'both');
      const spoilt = await sweepMutations(quick ? 2_000 : 10_000);
      const wrong = [...cuts.wrong, ...spoilt.wrong];
      return {
        ok: wrong.length === 0 && cuts.trials >= 3_000 && spoilt.trials >= 2_000,
        numbers: `${cuts.trials} cuts, ${spoilt.trials} mutations, ${wrong.length} wrong${wrong.length === 0 ? '' : `; ${wrong[0]}`}`,
      };
    },
  },
  {
    id: 'N6',
    promise: 'bad YAML is refused with code, line and column',
    goal: '150 by hand, 1,000 fuzzed; 250 ms and 100 MB each; 0 crashes',
    measure: async (quick) => {
      const byHand = await runVitest(['test/profiles/bad-']);
      const failed = byHand.filter(({ passed }) => !passed).length;
      const fuzz = fuzzProfiles(quick ? 1_000 : 5_000, seed);
      return {
        ok: failed === 0 && byHand.length >= 150 && fuzz.wrong.length === 0 && fuzz.slowestMs <= 250 && fuzz.mostHeapMb <= 100,
        numbers: `${byHand.length - failed} of ${byHand.length} by hand; ${fuzz.files} fuzzed: ${fuzz.refused} refused, ${fuzz.fine} fine, ${fuzz.wrong.length} wrong; at most ${fuzz.slowestMs.toFixed(0)} ms, ${fuzz.mostHeapMb.toFixed(0)} MB`,
      };
    },
  },
  {
    id: 'N7',
    promise: 'what hangs ends by itself, without configuration',
    goal: '4 of 4',
    measure: async () => {
      const all = await hangs();
      return {
        ok: all.every(({ ended }) => ended),
        numbers: all.map(({ what, ended, code, seconds }) => `${what}: ${ended ? code : 'goes on'} after ${seconds} s`).join('; '),
      };
    },
  },
  {
    id: 'N8',
    promise: 'lists of attacks: web addresses, paths, inspector, injection, expressions',
    goal: '0 pass, and every list is run',
    measure: () => lists(attackLists),
  },
  {
    id: 'N9',
    promise: 'planted secrets appear nowhere',
    goal: '0 hits, and every list is run',
    measure: () => lists(secretLists),
  },
  {
    id: 'N10',
    promise: 'a spoilt journal gives the same fold or a typed error',
    goal: '2,000 journals, 0 silent',
    measure: async (quick) => {
      const { journals, same, refused, wrong } = await corruptJournals(quick ? 500 : 2_000, seed);
      const codes = Object.entries(refused).map(([code, count]) => `${count} ${code}`);
      return {
        ok: wrong.length === 0,
        numbers: `${journals} journals: ${same} the same, ${codes.join(', ')}, ${wrong.length} silent${wrong.length === 0 ? '' : `; ${wrong[0]}`}`,
      };
    },
  },
  {
    id: 'N11',
    promise: 'eight processes resume one run; a stopped holder goes on after a take-over',
    goal: '1 runs, 7 are told within 1 s; the old holder writes nothing',
    measure: async () => {
      const { won, locked, slowestMs, zombieRecords, zombieCode } = await rivals(8);
      return {
        ok: won === 1 && locked === 7 && slowestMs < 1_000 && zombieRecords === 0 && zombieCode === 'STORE_CONFLICT',
        numbers: `${won} runs, ${locked} told within ${slowestMs.toFixed(0)} ms; the old holder wrote ${zombieRecords} records and was told ${zombieCode}`,
      };
    },
  },
  {
    id: 'N12',
    promise: 'load: 10,000 items in one inbox; 1,000 agents at once',
    goal: 'all read, in order, in linear time; all report; RSS < 1 GB',
    measure: async () => {
      await fillInbox(1_000);
      const some = await fillInbox(1_000);
      const many = await fillInbox(10_000);
      const inOrder = many.read.length === 10_000 && many.read.every((text, index) => text.endsWith(`item ${index}`));
      const crowd = await workTogether(1_000);
      const ratio = many.cpu / some.cpu;
      return {
        ok: inOrder && many.mostPerTurn <= 256 && ratio < 20 && crowd.completed && crowd.agents === 1_000 && crowd.rss < 1e9,
        numbers: `${many.read.length} items read ${inOrder ? 'in order' : 'OUT OF ORDER'}, at most ${many.mostPerTurn} a turn, ${ratio.toFixed(1)} × the time of 1,000; ${crowd.agents} agents, ${crowd.turnsPerSecond.toFixed(0)} turns/s, RSS ${mb(crowd.rss)}`,
      };
    },
  },
  {
    id: 'N12b',
    promise: 'memory is flat for an agent with a window',
    goal: '100,000 turns, < 100 B of heap a turn, no slower at the end',
    measure: async (quick) => {
      const spokenTo = await growOld(quick ? 10_000 : 100_000);
      const busy = await growBusy(quick ? 10_000 : 100_000);
      const all = [spokenTo, busy];
      return {
        ok: all.every(({ heapPerTurn, slowdown }) => heapPerTurn < 100 && slowdown < 1.5),
        numbers: all
          .map(
            ({ turns, heapPerTurn, slowdown }, index) =>
              `${index === 0 ? 'spoken to' : 'by itself'}: ${turns} turns, ${heapPerTurn.toFixed(1)} B of heap a turn, the last tenth took ${slowdown.toFixed(2)} × the first`,
          )
          .join('; '),
      };
    },
  },
  {
    id: 'N13',
    promise: 'consumers that never read cost nothing',
    goal: '100,000 events: heap + < 50 MB, CPU time ≤ 1.05 ×',
    measure: async (quick) => {
      const wanted = quick ? 20_000 : 100_000;
      const near = await deadConsumers(wanted, 10);
      const far = await deadConsumers(wanted, 10, stallOverHttp);
      const said = ({ rssGrowth, heapGrowth, slowdown }: DeadConsumer): string =>
        `heap + ${mb(heapGrowth)}, RSS + ${mb(rssGrowth)}, ${slowdown.toFixed(2)} × the time`;
      return {
        ok: [near, far].every(({ heapGrowth, slowdown }) => heapGrowth < 50e6 && slowdown <= 1.05),
        numbers: `${near.events} events, 10 readers that stall: of run.events(), ${said(near)}; over HTTP, ${said(far)}`,
      };
    },
  },
  {
    id: 'N14',
    promise: 'taking up: a run of 10,000 records, and one of 1,000 agents at work',
    goal: '< 500 ms; < 2 s; judged by CPU time, since others may use the machine',
    measure: async () => {
      const long = await resumeLong(10_000);
      const crowd = await resumeCrowd(1_000);
      return {
        ok: long.cpuMs < 500 && crowd.cpuMs < 2_000 && crowd.live === 1_000 && crowd.calls === 1_000 && crowd.completed,
        numbers: `${long.records} records in ${long.cpuMs.toFixed(0)} ms of CPU (${long.ms.toFixed(0)} ms); ${crowd.live} agents in ${crowd.cpuMs.toFixed(0)} ms of CPU (${crowd.ms.toFixed(0)} ms), ${crowd.calls} model calls made again`,
      };
    },
  },
];

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-trust-'));
  try {
    return await work(path.join(folder, 'sweep'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function script(name: string, args: readonly string[]): Promise<Measured> {
  const { ok, said } = await runScript(name, args);
  return { ok, numbers: said };
}

/** Runs lists of trials; a trial that fails is a miss, and so is a list of which nothing ran. */
async function lists(files: readonly string[]): Promise<Measured> {
  const trials = await runVitest(files);
  const failed = trials.filter(({ passed }) => !passed);
  const missing = files.filter((file) => !trials.some((trial) => trial.file === file));
  const wrong = [...failed.map(({ title }) => title), ...missing.map((file) => `${file} was not run`)];
  return {
    ok: wrong.length === 0,
    numbers: `${trials.length} trials in ${files.length} lists, ${failed.length} failed${wrong.length === 0 ? '' : `; ${wrong[0]}`}`,
  };
}
