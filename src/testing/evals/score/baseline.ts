import { readFile } from 'node:fs/promises';
import { CadreError } from '../../../core/error.ts';
import { isJsonObject } from '../../../core/json.ts';
import type { EvalSuite } from '../suite/eval-suite.ts';
import type { EvalReport, EvalResult } from './eval-result.ts';
import { fisherWorse, holm, signFlipWorse, type Tally } from './statistics.ts';
import { summarize, type EvalCell } from './summarize.ts';
import { readJson } from '../../../core/read-json.ts';

/** Format of reports in JSON, which are also baselines. */
export const reportFormat = 'cadre-eval/1';

const statuses: ReadonlySet<unknown> = new Set<EvalResult['status']>(['passed', 'failed', 'error', 'unfinished']);

/** Pass counts of an earlier report: by variant and case. */
export interface Baseline {
  readonly file: string;
  readonly tallies: ReadonlyMap<string, ReadonlyMap<string, Tally>>;
}

/** A case whose share of passed runs changed. */
export interface ChangedCase {
  readonly variant: string;
  readonly case: string;
  readonly before: Tally;
  readonly after: Tally;
  /** `worse`: beyond noise; `maybe worse`: chance explains it. */
  readonly kind: 'worse' | 'maybe worse' | 'better';
  /** Probability of a change this bad by chance alone; 0 when nothing is left to chance. */
  readonly probability: number;
}

/** A variant against the baseline. */
export interface ComparedVariant {
  readonly variant: string;
  readonly before: Tally;
  readonly after: Tally;
  readonly isWorse: boolean;
  readonly probability: number;
}

/** What changed since the baseline. */
export interface BaselineComparison {
  readonly file: string;
  readonly variants: readonly ComparedVariant[];
  readonly cases: readonly ChangedCase[];
  /** Cases that only one of the reports has. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  /** Something is worse beyond noise. */
  readonly isWorse: boolean;
}

/** Reads a report in JSON. Fails with OPTION_INVALID when it is none. */
export async function readBaseline(file: string): Promise<Baseline> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw new CadreError(
      'OPTION_INVALID',
      `the baseline ${file} cannot be read (${thrown.code ?? thrown.message}); write one with: cadre eval SUITE --out ${file}`,
    );
  });
  const tallies = talliesOf(parsed(text));
  if (tallies === undefined)
    throw new CadreError(
      'OPTION_INVALID',
      `${file} is no report of an eval (${reportFormat}); write one with: cadre eval SUITE --out report.json`,
    );
  return { file, tallies };
}

/** Fails with OPTION_INVALID when a baseline and an eval have no case of a variant in common, so that there is nothing to compare. */
export function checkComparable(baseline: Baseline, suite: Pick<EvalSuite, 'name' | 'variants' | 'cases'>): void {
  const isShared = suite.variants.some(({ name: variant }) => {
    const before = talliesFor(baseline, variant, suite.variants.length);
    return suite.cases.some(({ name }) => before?.has(name) === true);
  });
  if (isShared) return;
  const known = [...baseline.tallies].flatMap(([variant, cases]) => [...cases.keys()].map((name) => `${name} · ${variant}`));
  throw new CadreError(
    'OPTION_INVALID',
    `the baseline ${baseline.file} has finished runs of none of these cases and variants of ${suite.name}` +
      (known.length === 0 ? '' : `; it has: ${known.slice(0, 5).join(', ')}${known.length > 5 ? ', …' : ''}`),
  );
}

/** Returns the pass counts to compare a variant with: a single variant has the single one of the baseline, whatever their names. */
function talliesFor({ tallies }: Baseline, variant: string, variants: number): ReadonlyMap<string, Tally> | undefined {
  const [only] = tallies.values();
  return tallies.get(variant) ?? (variants === 1 && tallies.size === 1 ? only : undefined);
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    // The caller says what is wrong with the file.
    return undefined;
  }
}

function talliesOf(report: unknown): Baseline['tallies'] | undefined {
  if (!isJsonObject(report) || report['format'] !== reportFormat || !Array.isArray(report['results'])) return undefined;
  const tallies = new Map<string, Map<string, Tally>>();
  for (const result of report['results'] as readonly unknown[]) {
    if (!isJsonObject(result)) return undefined;
    const { variant, case: name, status } = result;
    if (typeof variant !== 'string' || typeof name !== 'string' || !statuses.has(status)) return undefined;
    if (status === 'unfinished') continue;
    const own = tallies.get(variant) ?? new Map<string, Tally>();
    const { passed, runs } = own.get(name) ?? { passed: 0, runs: 0 };
    tallies.set(variant, own.set(name, { passed: passed + (status === 'passed' ? 1 : 0), runs: runs + 1 }));
  }
  return tallies;
}

/**
 * Compares a report with a baseline. A case is worse beyond noise when its runs fail more often than chance explains (Fisher's exact test,
 * all cases of a variant taken together by Holm), a variant when its cases as a whole do (permutation test); where no model answers by
 * chance, every change counts. A single variant is compared with the single one of the baseline whatever their names.
 */
export function compareWithBaseline(report: EvalReport, baseline: Baseline): BaselineComparison {
  const cases: ChangedCase[] = [];
  const variants: ComparedVariant[] = [];
  for (const { variant, cases: cells } of summarize(report)) {
    const before = talliesFor(baseline, variant, report.variants.length);
    if (before === undefined) continue;
    const isCertain = report.variants.find(({ name }) => name === variant)?.isDeterministic === true;
    const pairs = cells.flatMap(({ case: name, cell }) => {
      const old = before.get(name);
      const after = tallyOf(cell);
      return old === undefined || after.runs === 0 ? [] : [{ name, before: old, after }];
    });
    if (pairs.length === 0) continue;
    cases.push(...changedCases(variant, pairs, isCertain));
    variants.push(comparedVariant(variant, pairs, isCertain));
  }
  const known = new Set([...baseline.tallies.values()].flatMap((own) => [...own.keys()]));
  return {
    file: baseline.file,
    variants,
    cases,
    onlyBefore: [...known].filter((name) => !report.cases.includes(name)),
    onlyAfter: report.cases.filter((name) => !known.has(name)),
    isWorse: cases.some(({ kind }) => kind === 'worse') || variants.some(({ isWorse }) => isWorse),
  };
}

interface Pair {
  readonly name: string;
  readonly before: Tally;
  readonly after: Tally;
}

function changedCases(variant: string, pairs: readonly Pair[], isCertain: boolean): readonly ChangedCase[] {
  const moved = pairs.filter(({ before, after }) => shareOf(before) !== shareOf(after));
  const chances = pairs.map(({ before, after }) =>
    shareOf(after) < shareOf(before) ? (isCertain ? 0 : fisherWorse(before, after)) : 1,
  );
  const beyond = holm(chances);
  return moved.map((pair): ChangedCase => {
    const index = pairs.indexOf(pair);
    const probability = chances[index] ?? 1;
    const isLower = shareOf(pair.after) < shareOf(pair.before);
    const kind = !isLower ? 'better' : beyond[index] === true ? 'worse' : 'maybe worse';
    return { variant, case: pair.name, before: pair.before, after: pair.after, kind, probability };
  });
}

function comparedVariant(variant: string, pairs: readonly Pair[], isCertain: boolean): ComparedVariant {
  const sum = (read: (pair: Pair) => Tally): Tally => ({
    passed: pairs.reduce((total, pair) => total + read(pair).passed, 0),
    runs: pairs.reduce((total, pair) => total + read(pair).runs, 0),
  });
  const differences = pairs.map(({ before, after }) => shareOf(after) - shareOf(before));
  const isLower = differences.reduce((total, each) => total + each, 0) < -1e-9;
  const probability = !isLower ? 1 : isCertain ? 0 : signFlipWorse(differences);
  return {
    variant,
    before: sum(({ before }) => before),
    after: sum(({ after }) => after),
    isWorse: probability <= 0.05,
    probability,
  };
}

function tallyOf({ passed, runs, unfinished }: EvalCell): Tally {
  return { passed, runs: runs - unfinished };
}

function shareOf({ passed, runs }: Tally): number {
  return runs === 0 ? 0 : passed / runs;
}
