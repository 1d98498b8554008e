import { CadreError } from '../../../core/error.ts';
import type { Recording } from '../../../core/recording/recording.ts';
import type { Engine } from '../../../engine/engine.ts';
import { readSuite } from '../suite/read-suite.ts';
import type { EvalSuite } from '../suite/eval-suite.ts';
import type { EvalPlan, EvalReport, EvalResult } from '../score/eval-result.ts';
import { CaseRunner, type CaseRunnerParts } from './case-runner.ts';
import { estimateCost } from './estimate-cost.ts';
import { type Attempts, EvalSession } from './eval-session.ts';
import { type EvalRecording, recordingKey } from './eval-recording.ts';
import { EvalStop } from './eval-stop.ts';
import { type PlannedRun, runIds } from './planned-run.ts';
import { type EvalProfiles, loadEvalProfiles, planRuns } from './prepare-eval.ts';
import { Spending } from './spending.ts';

/** Options of an eval. */
export interface EvalOptions {
  /** Opens the engine on a folder of profiles, or one that answers from a recording; the eval closes it. */
  readonly open: (profiles: string, replay?: Recording) => Promise<Engine>;
  /** Closes an engine that `open` returned, with what belongs to it; by default, the engine alone. */
  readonly close?: ((engine: Engine) => Promise<void>) | undefined;
  /** Folder of the profiles when the suite names none. */
  readonly profiles: string;
  /** Only cases with this text in their name. */
  readonly filter?: string | undefined;
  /** Only these variants. */
  readonly variants?: readonly string[] | undefined;
  /** Begins a new round: everything is run again. */
  readonly again?: boolean | undefined;
  /** Runs again what ended in an error. */
  readonly retry?: boolean | undefined;
  /** Collects the recordings of all runs; its caller writes it to a file. */
  readonly record?: EvalRecording | undefined;
  /** Answers instead of models and tools. */
  readonly replay?: EvalRecording | undefined;
  /** Stops the eval; a later one goes on with it. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the plan; the eval begins unless it returns false. */
  readonly onPlan?: ((plan: EvalPlan) => boolean) | undefined;
  /** Receives each result as soon as it is there, with the number of those to come. */
  readonly onResult?: ((result: EvalResult, left: number) => void) | undefined;
}

/** A planned eval. */
interface Prepared {
  readonly suite: EvalSuite;
  readonly session: EvalSession;
  readonly stop: EvalStop;
  readonly profiles: EvalProfiles;
  readonly planned: readonly PlannedRun[];
  readonly round: number;
}

const mostRounds = 10_000;

/**
 * Runs the cases of a suite with each variant and checks the results. Runs that the journal has are not made again, so an eval that was
 * interrupted goes on, and changed checks are made without a model. Fails with PROFILE_INVALID naming every problem of the suite, and
 * with the errors of `engine.launch`.
 */
export async function runEval(file: string | EvalSuite, options: EvalOptions): Promise<EvalReport> {
  const suite = selectCases(typeof file === 'string' ? await readSuite(file) : file, options);
  const engine = await options.open(suite.profiles ?? options.profiles);
  try {
    const stop = new EvalStop(engine);
    const session = new EvalSession(engine, stop);
    const profiles = await loadEvalProfiles(session, suite);
    const planned = planRuns(suite, profiles);
    const round = await findRound(session, suite, planned, options.again === true);
    return await runPlanned({ suite, session, stop, profiles, planned, round }, options);
  } finally {
    await closeEngine(options, engine);
  }
}

/** Closes an engine as its opener says. */
export async function closeEngine({ close }: Pick<EvalOptions, 'close'>, engine: Engine): Promise<void> {
  await (close === undefined ? engine.close() : close(engine));
}

async function runPlanned({ suite, session, stop, profiles, planned, round }: Prepared, options: EvalOptions): Promise<EvalReport> {
  const { signal, onPlan, onResult } = options;
  const spending = new Spending(suite.budget, () => stop.overBudget());
  const onAbort = (): void => stop.interrupt();
  try {
    const { retry = false, record } = options;
    const replay = replayOf(suite, stop, options);
    const runner = new CaseRunner({ suite, session, judges: profiles.judges, round, spending, stop, retry, record, replay });
    const found = await runner.lookUp(planned);
    checkRecording(options.replay, planned, found);
    const estimate = await estimateCost(session, suite, { planned, found });
    const recorded = found.filter(({ latest }) => latest !== undefined).length;
    const isWanted = onPlan?.({ suite: suite.name, round, runs: planned.length, recorded, estimate }) ?? true;
    const results: EvalResult[] = [];
    if (isWanted) {
      // Not before: the plan is made from the journal of the engine that a stop closes.
      if (signal?.aborted === true) onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      const queue = recordedFirst(planned, found);
      const work = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const result = await runner.run(next.planned, next.found);
          results.push(result);
          onResult?.(result, planned.length - results.length);
        }
      };
      await allOrNone(Array.from({ length: Math.min(suite.concurrency, planned.length) }, work), () => queue.splice(0));
    }
    // A budget that the last run used up has stopped nothing.
    const isWhole = isWanted && results.every(({ status }) => status !== 'unfinished');
    const stopped = isWhole && stop.why === 'budget' ? undefined : stop.why;
    return reportOf({ suite, profiles, planned, round }, results, { spent: spending.total, stopped });
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Returns how a run gets an engine that answers from its recording. */
function replayOf(suite: EvalSuite, stop: EvalStop, options: EvalOptions): CaseRunnerParts['replay'] {
  const { replay, open, profiles } = options;
  if (replay === undefined) return undefined;
  return async (key, { variant }) => {
    const engine = await open(variant.profiles ?? suite.profiles ?? profiles, replay.of(key));
    return { session: new EvalSession(engine, stop), [Symbol.asyncDispose]: async () => await closeEngine(options, engine) };
  };
}

/** Fails with RECORDING_INVALID, before anything is run, when a run that is needed was not recorded, or one of its judges. */
function checkRecording(replay: EvalRecording | undefined, planned: readonly PlannedRun[], found: readonly Attempts[]): void {
  for (const [index, each] of planned.entries()) {
    if (found[index]?.latest !== undefined) continue;
    replay?.of(recordingKey(each));
    for (const { judgeKey } of each.case.checks) if (judgeKey !== undefined) replay?.of(recordingKey(each, judgeKey));
  }
}

/** Orders runs so that those of the journal come first: they cost nothing, whatever happens to the others. */
function recordedFirst(
  planned: readonly PlannedRun[],
  found: readonly Attempts[],
): { planned: PlannedRun; found: Attempts | undefined }[] {
  const all = planned.map((each, index) => ({ planned: each, found: found[index] }));
  return all.toSorted((a, b) => Number(b.found?.latest !== undefined) - Number(a.found?.latest !== undefined));
}

/** Waits for all workers; when one fails, the others stop at their next run and the first failure is thrown. */
async function allOrNone(workers: readonly Promise<void>[], stop: () => unknown): Promise<void> {
  for (const worker of workers) worker.catch(stop);
  const settled = await Promise.allSettled(workers);
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
}

function reportOf(
  { suite, profiles, planned, round }: Omit<Prepared, 'session' | 'stop'>,
  results: readonly EvalResult[],
  end: Pick<EvalReport, 'spent' | 'stopped'>,
): EvalReport {
  const order = new Map(planned.map((each, index) => [keyOf(each.case.name, each.variant.name, each.repeat), index]));
  const placeOf = (result: EvalResult): number => order.get(keyOf(result.case, result.variant, result.repeat)) ?? 0;
  return {
    suite: suite.name,
    file: suite.file,
    round,
    variants: suite.variants.map(({ name, description, llm }) => ({
      name,
      description,
      isDeterministic: isScripted(profiles.variants.get(name), llm) && areScripted(profiles.judges),
    })),
    cases: suite.cases.map(({ name }) => name),
    results: results.toSorted((a, b) => placeOf(a) - placeOf(b)),
    passRate: suite.passRate,
    ...end,
  };
}

/** True when no model of a variant answers by chance: the named config, or that of its team, or all of its profiles', are scripted. */
function isScripted(set: PlannedRun['set'] | undefined, named: string | undefined): boolean {
  if (set === undefined) return false;
  const llm = named ?? set.team?.llmConfig;
  const used = llm === undefined ? [...set.profiles.values()].flatMap(({ llmConfigRef }) => llmConfigRef ?? []) : [llm];
  return used.length > 0 && used.every((name) => set.llmConfigs.get(name)?.provider === 'scripted');
}

/** True when no judge answers by chance. */
function areScripted(judges: EvalProfiles['judges']): boolean {
  return [...judges].every(([llm, set]) => set.llmConfigs.get(llm)?.provider === 'scripted');
}

function keyOf(name: string, variant: string, repeat: number): string {
  return JSON.stringify([name, variant, repeat]);
}

/** Finds the newest round that the journal has runs of; with `again`, the one after it. */
async function findRound(
  session: EvalSession,
  { name }: EvalSuite,
  planned: readonly PlannedRun[],
  again: boolean,
): Promise<number> {
  const hasRound = async (round: number): Promise<boolean> => {
    const idOf = runIds(name, round);
    for (const each of planned) if ((await session.engine.runs({ runId: idOf(each, 1) })).length > 0) return true;
    return false;
  };
  let newest = 0;
  while (newest < mostRounds && (await hasRound(newest + 1))) newest += 1;
  return Math.max(1, again ? newest + 1 : newest);
}

/** Returns the suite with the wanted cases and variants only. Fails with OPTION_INVALID when none is left. */
export function selectCases(suite: EvalSuite, { filter, variants: wanted }: Pick<EvalOptions, 'filter' | 'variants'>): EvalSuite {
  const cases = suite.cases.filter(({ name }) => name.toLowerCase().includes(filter?.toLowerCase() ?? ''));
  if (cases.length === 0)
    throw new CadreError(
      'OPTION_INVALID',
      `none of the ${suite.cases.length} cases of ${suite.file} has '${filter ?? ''}' in its name`,
    );
  const names = suite.variants.map(({ name }) => name);
  const missing = wanted?.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new CadreError('OPTION_INVALID', `${suite.file} has no variant '${missing}'; there are: ${names.join(', ')}`);
  return { ...suite, cases, variants: suite.variants.filter(({ name }) => wanted?.includes(name) ?? true) };
}
