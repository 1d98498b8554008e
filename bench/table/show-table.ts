import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../measure.ts';
import type { Figures } from './probe.ts';
import { type TableRow, tableRows } from './rows.ts';

const run = promisify(execFile);
const here = fileURLToPath(new URL('../..', import.meta.url));
const script = fileURLToPath(new URL('run-probe.ts', import.meta.url));

/** Options of the table. */
export interface TableOptions {
  /** Another built checkout to measure in turns with this one. */
  readonly against?: string | undefined;
  /** Probes to run; all of them when absent. */
  readonly only?: readonly string[] | undefined;
  readonly rounds: number;
}

/** One column: the bare loop, or a built checkout. */
interface Subject {
  readonly title: string;
  /** `floor`, or the folder of the checkout. */
  readonly place: string;
}

/** Measures every probe in fresh processes, the subjects in turns, and prints the medians as a table; returns false when an aim is missed. */
export async function showTable({ against, only, rounds }: TableOptions): Promise<boolean> {
  const subjects: Subject[] = [
    { title: 'bare loop', place: 'floor' },
    { title: `Cadre ${await commitOf(here)}`, place: here },
    ...(against === undefined ? [] : [{ title: `Cadre ${await commitOf(against)}`, place: path.resolve(against) }]),
  ];
  for (const { place } of subjects) assertBuilt(place);
  const probes = [...new Set(tableRows.map(({ probe }) => probe))].filter((probe) => only?.includes(probe) ?? true);
  if (probes.length === 0) throw new Error(`--only names none of ${[...new Set(tableRows.map(({ probe }) => probe))].join(', ')}`);
  const medians = new Map<string, readonly Figures[]>();
  for (const probe of probes) medians.set(probe, await inTurns(probe, subjects, rounds));
  const shown = tableRows.filter(({ probe }) => medians.has(probe));
  const date = new Date().toISOString().slice(0, 10);
  console.log(
    `${date}, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, medians of ${rounds}\n`,
  );
  console.log(`| | unit | ${subjects.map(({ title }) => title).join(' | ')} | × bare loop | aim |`);
  console.log(`|---|---|${subjects.map(() => '--:|').join('')}--:|---|`);
  let holds = true;
  for (const row of shown) {
    const figures = (medians.get(row.probe) ?? []).map((each) => each[row.figure]);
    const met = isMet(row, figures);
    holds &&= met;
    console.log(line(row, figures, met));
  }
  return holds;
}

async function inTurns(probe: string, subjects: readonly Subject[], rounds: number): Promise<readonly Figures[]> {
  const all = subjects.map((): Figures[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, { place }] of subjects.entries()) all[index]?.push(await measureOnce(probe, place));
  return all.map((figures) => {
    const names = Object.keys(figures[0] ?? {});
    return Object.fromEntries(names.map((name) => [name, median(figures.map((each) => each[name] ?? Number.NaN))]));
  });
}

async function measureOnce(probe: string, place: string): Promise<Figures> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-table-'));
  try {
    const { stdout } = await run(process.execPath, ['--expose-gc', script, probe, place, folder], { maxBuffer: 1 << 24 });
    return JSON.parse(stdout) as Figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isMet({ aim, scale = 1 }: TableRow, [floor = Number.NaN, ours = Number.NaN]: readonly (number | undefined)[]): boolean {
  if (aim === undefined) return true;
  return 'most' in aim ? ours / scale <= aim.most : ours <= aim.floors * floor;
}

function line({ label, unit, aim, scale = 1 }: TableRow, figures: readonly (number | undefined)[], met: boolean): string {
  const shown = figures.map((figure) => (figure === undefined ? '–' : rounded(figure / scale)));
  const [floor, ours] = figures;
  const ratio = floor === undefined || ours === undefined || floor <= 0 ? '–' : rounded(ours / floor);
  const wanted = aim === undefined ? '' : 'most' in aim ? `≤ ${aim.most}` : `≤ ${aim.floors} ×`;
  return `| ${label} | ${unit} | ${shown.join(' | ')} | ${ratio} | ${wanted}${met ? '' : ' (missed)'} |`;
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

async function commitOf(checkout: string): Promise<string> {
  const { stdout } = await run('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: checkout });
  return stdout.trim();
}

function assertBuilt(place: string): void {
  if (place === 'floor' || existsSync(path.join(place, 'dist', 'index.js'))) return;
  throw new Error(`${place} is not built: there is no dist/index.js; run \`npm run build\` in it`);
}
