import { CadreError } from '../../../core/error.ts';
import type { ProfileSet } from '../../../core/profile/profile.ts';
import { fileKindOf } from '../../../profiles/files/file-kind.ts';
import { labelOf } from '../../../profiles/files/read-profile-files.ts';
import { Report } from '../../../profiles/report.ts';
import { parseYaml } from '../../../profiles/yaml/parse-yaml.ts';
import { SourceText } from '../../../profiles/yaml/source-text.ts';
import { CaseRunner } from '../play/case-runner.ts';
import { EvalSession } from '../play/eval-session.ts';
import { EvalStop } from '../play/eval-stop.ts';
import type { PlannedRun } from '../play/planned-run.ts';
import { loadEvalProfiles, planRuns, type EvalProfiles } from '../play/prepare-eval.ts';
import { closeEngine, type EvalOptions, selectCases } from '../play/run-eval.ts';
import { Spending, type Spent } from '../play/spending.ts';
import type { EvalResult } from '../score/eval-result.ts';
import type { EvalSuite } from '../suite/eval-suite.ts';
import { readSuite } from '../suite/read-suite.ts';
import { inFolder, type ProfileChangePlace, profileVersions, type ProfileVersions, withChanges } from './changes.ts';
import { findCulprit, type Trial } from './search.ts';

/** Options of a bisection. */
export interface BisectOptions extends Pick<EvalOptions, 'open' | 'close' | 'profiles' | 'filter' | 'variants' | 'signal'> {
  /** Folder of the profiles with which the case passes. */
  readonly good: string;
  /** Receives a sentence at each step. */
  readonly onStep?: ((text: string) => void) | undefined;
}

/** The change of profiles that made a case fail. */
export interface Bisection {
  readonly case: string;
  readonly variant: string;
  readonly change: ProfileChangePlace;
  /** Further changes that do not load one by one: the one looked for may be among them. */
  readonly unresolved: readonly ProfileChangePlace[];
  /** The case fails with this change alone. */
  readonly isAlone: boolean;
  /** The case passes with all changes but this one; undefined when those do not load. */
  readonly passesWithout: boolean | undefined;
  readonly changes: number;
  /** Changes that re-rendering the passing run did not rule out. */
  readonly relevant: number;
  /** Runs that were made; the others were found in the journal. */
  readonly made: number;
  readonly spent: Spent;
  /** A run of the case with the change, or with all of them. */
  readonly failingRun: string;
}

/**
 * Finds the changed place of profiles that makes a case fail. First the passing run is re-rendered with each change by itself, which calls
 * no model: a change with which every prompt and decision stays the same is ruled out. Then the case is run with half of the others, and so
 * on. Fails with OPTION_INVALID when the case does not pass before and fail after.
 */
export async function bisectEval(file: string | EvalSuite, options: BisectOptions): Promise<Bisection> {
  const suite = oneCase(selectCases(typeof file === 'string' ? await readSuite(file) : file, options), options.filter);
  const [only, ...others] = suite.cases;
  const [variant, ...more] = suite.variants;
  if (only === undefined || others.length > 0)
    throw new CadreError(
      'OPTION_INVALID',
      `a bisection is about one case; name it with --filter: ${suite.cases.map(({ name }) => name).join(', ')}`,
    );
  if (variant === undefined || more.length > 0)
    throw new CadreError(
      'OPTION_INVALID',
      `a bisection is about one variant; name it with --variant: ${suite.variants.map(({ name }) => name).join(', ')}`,
    );
  const engine = await options.open(suite.profiles ?? options.profiles);
  const stop = new EvalStop(engine);
  const onAbort = (): void => stop.interrupt();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const session = new EvalSession(engine, stop);
    const profiles = await loadEvalProfiles(session, suite);
    const after = profiles.variants.get(variant.name) ?? engine.profiles;
    const before = await session.load(options.good);
    const folder = variant.profiles ?? suite.profiles ?? options.profiles;
    const versions = profileVersions(inFolder(before.files, labelOf(options.good), labelOf(folder)), after.files);
    if (versions.changes.length === 0)
      throw new CadreError('OPTION_INVALID', `${options.good} has the same profiles as the suite: there is no change to find`);
    if (options.signal?.aborted === true) onAbort();
    return await new Bisector({ suite, session, stop, profiles, versions, before, after }, options).run();
  } catch (thrown) {
    throw stop.why !== undefined && thrown instanceof CadreError && thrown.code === 'ENGINE_CLOSED'
      ? stoppedError(stop.why)
      : thrown;
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    await closeEngine(options, engine);
  }
}

/** Returns the suite with the case of exactly this name, if there is one among several. */
function oneCase(suite: EvalSuite, filter: string | undefined): EvalSuite {
  const named = suite.cases.filter(({ name }) => name.toLowerCase() === filter?.toLowerCase());
  return named.length === 1 ? { ...suite, cases: named } : suite;
}

function stoppedError(why: EvalStop['why']): CadreError {
  const text =
    why === 'budget'
      ? 'the budget was used up before the change was found; with a larger one the same command goes on'
      : 'the bisection was interrupted; the same command goes on';
  return new CadreError('ENGINE_CLOSED', text);
}

interface BisectorParts {
  readonly suite: EvalSuite;
  readonly session: EvalSession;
  readonly stop: EvalStop;
  readonly profiles: EvalProfiles;
  readonly versions: ProfileVersions;
  readonly before: ProfileSet;
  readonly after: ProfileSet;
}

/** Runs of a case with one set of profiles. */
interface Tried {
  readonly trial: Exclude<Trial, 'unresolved'>;
  readonly results: readonly EvalResult[];
}

class Bisector {
  readonly #parts: BisectorParts;
  readonly #options: BisectOptions;
  readonly #spending: Spending;
  readonly #runner: CaseRunner;
  readonly #tried = new Map<string, Trial>();
  #made = 0;
  #failingRun = '';

  constructor(parts: BisectorParts, options: BisectOptions) {
    this.#parts = parts;
    this.#options = options;
    const { suite, session, stop, profiles } = parts;
    this.#spending = new Spending(suite.budget, () => stop.overBudget());
    this.#runner = new CaseRunner({
      suite,
      session,
      judges: profiles.judges,
      round: 1,
      spending: this.#spending,
      stop,
      retry: false,
    });
  }

  async run(): Promise<Bisection> {
    const { suite, versions, before, after } = this.#parts;
    const name = suite.cases[0]?.name ?? '';
    const good = await this.#try(before);
    if (good.trial === 'fails')
      throw new CadreError('OPTION_INVALID', `'${name}' does not pass with ${this.#options.good}: ${whyOf(good)}`);
    const bad = await this.#try(after);
    if (bad.trial === 'passes')
      throw new CadreError('OPTION_INVALID', `'${name}' passes with the profiles of the suite, too: there is nothing to find`);
    this.#failingRun = failingRunOf(bad);
    const { changes } = versions;
    const kept = await this.#notRuledOut(
      changes,
      good.results.map(({ runId }) => runId),
    );
    const relevant = await this.#enough(kept, changes);
    const { change, unresolved } = await findCulprit(relevant, async (chosen) => await this.#attempt(chosen));
    const isAlone = (await this.#attempt([change])) === 'fails';
    const without = await this.#attempt(changes.filter((each) => each !== change));
    return {
      case: name,
      variant: suite.variants[0]?.name ?? '',
      change,
      unresolved,
      isAlone,
      passesWithout: without === 'unresolved' ? undefined : without === 'passes',
      changes: changes.length,
      relevant: kept.length,
      made: this.#made,
      spent: this.#spending.total,
      failingRun: this.#failingRun,
    };
  }

  /** Returns the changes that alter something in the passing runs, and those that re-rendering cannot judge. */
  async #notRuledOut(changes: readonly ProfileChangePlace[], runIds: readonly string[]): Promise<readonly ProfileChangePlace[]> {
    const { session, versions } = this.#parts;
    const kept: ProfileChangePlace[] = [];
    for (const change of changes) {
      if (!isShownInPrompts(change, versions)) {
        kept.push(change);
        continue;
      }
      try {
        const { differ } = await session.engine.rerender(runIds, { profiles: { files: withChanges(versions, [change]) } });
        if (differ > 0) kept.push(change);
      } catch (thrown) {
        // A change that does not load alone says nothing.
        if (!(thrown instanceof CadreError && thrown.code === 'PROFILE_INVALID')) throw thrown;
        kept.push(change);
      }
    }
    this.#tell(
      `${changes.length} changes; re-rendering the passing run rules out ${changes.length - kept.length} of them without a model`,
    );
    return kept;
  }

  /** Returns the changes that were not ruled out when they make the case fail by themselves, else all: some show only in turns that the passing run never took. */
  async #enough(kept: readonly ProfileChangePlace[], all: readonly ProfileChangePlace[]): Promise<readonly ProfileChangePlace[]> {
    if (kept.length === all.length) return all;
    if (kept.length > 0 && (await this.#attempt(kept)) === 'fails') return kept;
    this.#tell('the others do not make the case fail by themselves: all changes are looked at');
    return all;
  }

  async #attempt(chosen: readonly ProfileChangePlace[]): Promise<Trial> {
    const { session, versions } = this.#parts;
    const key = JSON.stringify(chosen.map(({ path, start }) => [path, start]));
    const known = this.#tried.get(key);
    if (known !== undefined) return known;
    let trial: Trial;
    try {
      const tried = await this.#try(await session.loadFiles(withChanges(versions, chosen)));
      ({ trial } = tried);
      if (trial === 'fails') this.#failingRun = failingRunOf(tried);
    } catch (thrown) {
      if (!(thrown instanceof CadreError && thrown.code === 'PROFILE_INVALID')) throw thrown;
      trial = 'unresolved';
    }
    this.#tell(
      `with ${chosen.length} of ${versions.changes.length} changes the case ${trial === 'unresolved' ? 'cannot be run: the profiles do not load' : trial}`,
    );
    this.#tried.set(key, trial);
    return trial;
  }

  /** Runs the case with a set; it passes when most of its runs do. */
  async #try(set: ProfileSet): Promise<Tried> {
    const { suite, profiles, stop } = this.#parts;
    const variants = new Map(suite.variants.map(({ name }) => [name, set]));
    const planned: readonly PlannedRun[] = planRuns(suite, { ...profiles, variants });
    const found = await this.#runner.lookUp(planned);
    const results: EvalResult[] = [];
    for (const [index, each] of planned.entries()) {
      const result = await this.#runner.run(each, found[index]);
      if (result.status === 'unfinished') throw stoppedError(stop.why);
      if (!result.isRecorded) this.#made += 1;
      results.push(result);
    }
    const error = results.find(({ status }) => status === 'error');
    if (error !== undefined)
      throw new CadreError(
        'OPTION_INVALID',
        `run ${error.runId} says nothing about the case: ${error.checks.find(({ verdict }) => verdict === 'error')?.reason ?? ''}`,
      );
    const passed = results.filter(({ status }) => status === 'passed').length;
    return { trial: passed * 2 > results.length ? 'passes' : 'fails', results };
  }

  #tell(text: string): void {
    this.#options.onStep?.(text);
  }
}

/** True for files whose changes show in prompts and decisions; a model that is set up otherwise, or a tool, does not show there. */
function isShownInPrompts({ path }: ProfileChangePlace, { before, after }: ProfileVersions): boolean {
  const text = [...after, ...before].find((file) => file.path === path)?.text ?? '';
  const kind = fileKindOf(path, parseYaml(new SourceText(path, text), new Report()));
  return kind === 'profile' || kind === 'handover_protocol';
}

function failingRunOf({ results }: Tried): string {
  return results.find(({ status }) => status === 'failed')?.runId ?? '';
}

function whyOf({ results }: Tried): string {
  const failed = results.find(({ status }) => status !== 'passed');
  const check = failed?.checks.find(({ verdict }) => verdict !== 'passed');
  return check === undefined ? 'its runs do not pass' : `${check.name}: ${check.reason} (run ${failed?.runId ?? ''})`;
}
