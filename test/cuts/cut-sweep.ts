import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type Part, type PartName, type Parts, partNames, startParts, startProcess } from './cut-parts.ts';
import type { TeamLine, TeamPlan } from './team-process.ts';

/** Ways in which a part fails, and the moments at which it does. */
export const cutNames = ['restart', 'reset', 'silence', 'half-close'] as const;
export const momentNames = ['launching', 'middle'] as const;

/** One failure of one part. */
export interface CutCase {
  readonly part: PartName;
  readonly cut: (typeof cutNames)[number];
  readonly moment: (typeof momentNames)[number];
}

/** What became of the runs. */
export interface CutOutcome extends CutCase {
  readonly finished: number;
  readonly waiting: number;
  readonly longestGapMs: number;
  readonly ms: number;
  readonly problems: readonly string[];
}

/** Milliseconds of a silence, and the longest stand-still that is allowed. */
const silenceMs = 8_000;
const mostGapMs = 15_000;
/** Milliseconds after which a case counts as hung. */
const mostMs = 240_000;
const waitingStatuses = new Set(['awaiting', 'idle']);

/** All cases, or those of some parts and cuts. */
export function allCases(
  wanted: { readonly parts?: readonly string[]; readonly cuts?: readonly string[] } = {},
): readonly CutCase[] {
  return partNames
    .flatMap((part) => cutNames.flatMap((cut) => momentNames.map((moment) => ({ part, cut, moment }))))
    .filter(({ part, cut }) => (wanted.parts?.includes(part) ?? true) && (wanted.cuts?.includes(cut) ?? true));
}

/** Runs cases one after the other, each with servers of its own. */
export async function* cutSweep(cases: readonly CutCase[], runs: number): AsyncGenerator<CutOutcome> {
  for (const one of cases) yield await playCase(one, runs);
}

async function playCase(one: CutCase, runs: number): Promise<CutOutcome> {
  const ledger = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-cuts-')), 'ledger');
  writeFileSync(ledger, '');
  await using parts = await startParts(ledger, one.part === 'restate');
  const plan = planOf(parts, ledger, runs);
  const workers: ChildProcess[] = [];
  try {
    if (plan.restate !== undefined) {
      const worker = { port: parts.workerPort, address: `http://127.0.0.1:${parts.all.restate?.inward?.port}` };
      for (let count = 0; count < 2; count += 1)
        workers.push(await startProcess('team-process.ts', [JSON.stringify({ ...plan, worker } satisfies TeamPlan)]));
    }
    return await follow(one, { parts, plan, workers });
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
  }
}

function planOf({ all, server, restateServer }: Parts, ledger: string, runs: number): TeamPlan {
  const schema = server.newSchema();
  const at = (part: Part): string => `http://127.0.0.1:${part.proxy.port}`;
  return {
    store: server.urlThrough(all.postgres.proxy.port, schema),
    ledger,
    model: `${at(all.model)}/v1`,
    mcp: `${at(all.mcp)}/mcp`,
    // The other parts are cut under one process, whose own timers and retries then count.
    ...(all.restate === undefined || restateServer === undefined
      ? {}
      : { restate: { ingress: at(all.restate), admin: restateServer.admin, name: schema.replaceAll(/\W/g, '_') } }),
    runs,
  };
}

interface Team {
  readonly parts: Parts;
  readonly plan: TeamPlan;
  readonly workers: readonly ChildProcess[];
}

async function follow(one: CutCase, { parts, plan, workers }: Team): Promise<CutOutcome> {
  const began = performance.now();
  const child = await startProcess('team-process.ts', [JSON.stringify(plan)]);
  const problems: string[] = [];
  let launched = 0;
  let lastAt = performance.now();
  let longestGapMs = 0;
  let statuses: readonly string[] = [];
  let cutting: Promise<void> | undefined;
  const paid = (): number => readFileSync(plan.ledger, 'utf8').split('\n').length - 1;
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (text) => {
      if (!text.startsWith('{')) return;
      const line = JSON.parse(text) as TeamLine;
      longestGapMs = Math.max(longestGapMs, performance.now() - lastAt);
      lastAt = performance.now();
      if (line.kind === 'launched') launched += 1;
      if (line.kind === 'refused') problems.push(`a launch was refused: ${line.why}`);
      if (line.kind === 'end') statuses = line.statuses;
      const isTime =
        one.moment === 'launching' ? launched >= Math.min(10, plan.runs / 2) : launched === plan.runs && paid() >= plan.runs;
      if (isTime) cutting ??= cutPart(one, parts);
    });
  const code = await ended(child);
  await cutting;
  if (cutting === undefined) problems.push('nothing was cut: the runs were over before');
  if (code !== 0) problems.push(`the process ended with ${code}`);
  for (const worker of workers) if (worker.exitCode !== null || worker.signalCode !== null) problems.push('a worker has ended');
  problems.push(...repeated(plan.ledger));
  const finished = statuses.filter((status) => status === 'completed').length;
  const waiting = statuses.filter((status) => waitingStatuses.has(status)).length;
  if (finished + waiting !== plan.runs)
    problems.push(`of ${plan.runs} runs, ${finished} finished and ${waiting} wait: ${[...new Set(statuses)].join(', ')}`);
  if (longestGapMs > mostGapMs) problems.push(`nothing happened for ${(longestGapMs / 1_000).toFixed(1)} s`);
  return { ...one, finished, waiting, longestGapMs, ms: performance.now() - began, problems };
}

/** Resolves with the exit code of a process, which is killed when it takes too long. */
async function ended(child: ChildProcess): Promise<number | string | null> {
  const timer = setTimeout(() => child.kill('SIGKILL'), mostMs);
  const code = await new Promise<number | string | null>((resolve) =>
    child.once('exit', (exit, signal) => resolve(exit ?? signal)),
  );
  clearTimeout(timer);
  return code;
}

async function cutPart({ part, cut }: CutCase, { all }: Parts): Promise<void> {
  const found = all[part];
  if (found === undefined) throw new Error(`${part} was not started`);
  const { proxy, inward, restart } = found;
  if (cut === 'restart') return await restart();
  for (const each of [proxy, inward]) each?.cut(cut);
  if (cut !== 'silence') return;
  await pause(silenceMs);
  for (const each of [proxy, inward]) each?.speak();
}

/** Payments and records that were made twice. */
function repeated(ledger: string): readonly string[] {
  const lines = readFileSync(ledger, 'utf8').trim().split('\n');
  return [...new Set(lines.filter((line, index) => lines.indexOf(line) !== index))].map((line) => `made twice: ${line}`);
}
