import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { Diagnostic } from '../../core/profile/profile.ts';
import type { EngineOptions } from '../../engine/engine-options.ts';
import { checkNames } from '../cases/check-names.ts';
import { findTests, type TeamTests, type TestPlaces } from '../cases/find-tests.ts';
import { readGroups } from '../cases/read-groups.ts';
import type { TestCase, TestGroup } from '../cases/test-case.ts';
import { checkRun } from '../expect/check-run.ts';
import { checkTurn } from '../expect/check-turn.ts';
import type { Failure } from '../expect/failure.ts';
import { type SnapshotMode, Snapshots } from '../expect/snapshots.ts';
import { TestedProfiles } from '../play/tested-profiles.ts';
import { playRecorded } from '../play/play-recorded.ts';
import { playRun } from '../play/play-run.ts';
import { playTurn } from '../play/play-turn.ts';
import type { Played } from '../play/played.ts';
import type { OpenRecords } from '../play/recorded-source.ts';
import { CoverageMeter, type TeamCoverage } from './coverage.ts';

/** Options of a run of test files. */
export interface SuiteOptions extends TestPlaces {
  /** Only tests of the team in this folder. */
  readonly team?: string | undefined;
  /** Only cases whose name, file or profile contains this text. */
  readonly filter?: string | undefined;
  readonly snapshots: SnapshotMode;
  /** Tools from code, besides those of toolsets; none is run. */
  readonly tools?: EngineOptions['tools'];
  /** True to refuse profiles that load with warnings. */
  readonly strict?: boolean | undefined;
  /** Opens the runs that `given.from` names. */
  readonly records?: OpenRecords | undefined;
  /** Receives each result as soon as it is there. */
  readonly onCase?: ((result: CaseResult) => void) | undefined;
}

/** Result of one case. */
export interface CaseResult {
  readonly file: string;
  readonly name: string;
  readonly profile: string;
  readonly failures: readonly Failure[];
  /** Milliseconds of real time. */
  readonly ms: number;
}

/** Result of a run of test files. */
export interface SuiteReport {
  /** Problems of test files and profiles: with any, the tests are no proof. */
  readonly problems: readonly Diagnostic[];
  /** Warnings of loading the teams' profiles. */
  readonly warnings: readonly Diagnostic[];
  readonly cases: readonly CaseResult[];
  /** Number of cases that the filter left out. */
  readonly skipped: number;
  readonly coverage: readonly TeamCoverage[];
  /** Snapshot files that were written. */
  readonly written: readonly string[];
}

/** Runs the tests in files and folders, each team's with its own profiles. No model is called, no tool runs, nothing connects. */
export async function runSuite(options: SuiteOptions): Promise<SuiteReport> {
  const suite = new Suite(options);
  for (const team of await findTests(options))
    if (options.team === undefined || path.resolve(options.team) === team.profiles) await suite.team(team);
  return suite.report();
}

class Suite {
  readonly #options: SuiteOptions;
  readonly #problems: Diagnostic[] = [];
  readonly #warnings: Diagnostic[] = [];
  readonly #cases: CaseResult[] = [];
  readonly #coverage: TeamCoverage[] = [];
  readonly #written: string[] = [];
  #skipped = 0;

  constructor(options: SuiteOptions) {
    this.#options = options;
  }

  report(): SuiteReport {
    return {
      problems: this.#problems,
      warnings: this.#warnings,
      cases: this.#cases,
      skipped: this.#skipped,
      coverage: this.#coverage,
      written: this.#written,
    };
  }

  async team(team: TeamTests): Promise<void> {
    const { groups, problems } = await readGroups(team);
    this.#problems.push(...problems);
    const { filter } = this.#options;
    const wanted = groups.map((group) => ({ ...group, cases: group.cases.filter((each) => isWanted(group, each, filter)) }));
    const count = (all: readonly TestGroup[]): number => all.reduce((sum, { cases }) => sum + cases.length, 0);
    this.#skipped += count(groups) - count(wanted);
    if (count(wanted) === 0) return;
    const meter = new CoverageMeter(team.profiles);
    const opened = new Map<string, TestedProfiles | undefined>();
    // Tests may bring profiles of their own; coverage is about those of the team.
    const plain = await this.#openProfiles(opened, team.profiles, undefined);
    if (plain !== undefined) meter.declare(plain.set);
    this.#warn(plain?.set.warnings ?? []);
    for (const group of wanted.filter(({ cases }) => cases.length > 0)) {
      const tested = await this.#openProfiles(opened, team.profiles, group);
      if (tested !== undefined) await this.#group(tested, group, meter);
    }
    if (plain !== undefined) this.#coverage.push(meter.result());
  }

  /** Notes warnings of loading. Tests have an environment of their own, so what the user's lacks is none of theirs. */
  #warn(warnings: readonly Diagnostic[]): void {
    const own = warnings.filter(({ code }) => code !== 'BAD_ENVIRONMENT_VALUE');
    (this.#options.strict === true ? this.#problems : this.#warnings).push(...own);
  }

  /** Opens the profiles of a group; undefined, with the problems noted, when they do not load. */
  async #openProfiles(
    opened: Map<string, TestedProfiles | undefined>,
    profiles: string,
    group: TestGroup | undefined,
  ): Promise<TestedProfiles | undefined> {
    const { profiles: more = [], env = {}, tools: declared = {} } = group ?? {};
    const key = JSON.stringify([more, env, declared]);
    if (opened.has(key)) return opened.get(key);
    const { tools } = this.#options;
    const tested = await TestedProfiles.open({ profiles, more, env, declared, ...(tools === undefined ? {} : { tools }) }).catch(
      (thrown: unknown) => {
        this.#problems.push(...problemsOf(thrown, group?.file ?? path.relative('', profiles)));
        return undefined;
      },
    );
    opened.set(key, tested);
    return tested;
  }

  async #group(tested: TestedProfiles, group: TestGroup, meter: CoverageMeter): Promise<void> {
    const problems = checkNames(tested, group);
    this.#problems.push(...problems);
    if (problems.length > 0) return;
    const snapshots = new Snapshots(group.folder, group.stem, this.#options.snapshots);
    for (const testCase of group.cases) await this.#case(tested, { group, testCase, snapshots }, meter);
    this.#written.push(...snapshots.written);
  }

  async #case(
    tested: TestedProfiles,
    { group, testCase, snapshots }: { readonly group: TestGroup; readonly testCase: TestCase; readonly snapshots: Snapshots },
    meter: CoverageMeter,
  ): Promise<void> {
    const began = performance.now();
    const { records } = this.#options;
    let failures: readonly Failure[];
    try {
      const checked = await playCase(tested, testCase, { folder: group.folder, maxTurns: group.maxTurns, records, snapshots });
      meter.add(checked.played, { name: testCase.body.name, at: testCase.placeOf([]) });
      ({ failures } = checked);
    } catch (thrown) {
      if (!(thrown instanceof CadreError)) throw thrown;
      if (isOfFile(thrown)) {
        const source = testCase.placeOf(testCase.body.given?.from === undefined ? [] : ['given', 'from']);
        this.#problems.push({ severity: 'error', code: 'BAD_REFERENCE', message: thrown.message, source });
        return;
      }
      failures = [{ at: testCase.placeOf([]), message: thrown.message }];
    }
    const { name } = testCase.body;
    const result = { file: group.file, name, profile: testCase.profile, failures, ms: performance.now() - began };
    this.#cases.push(result);
    this.#options.onCase?.(result);
  }
}

/** Surroundings of a case. */
export interface CasePlace {
  /** Folder that paths of recordings are relative to. */
  readonly folder: string;
  readonly maxTurns: number;
  readonly records?: OpenRecords | undefined;
  readonly snapshots: Snapshots;
}

/** Plays one case and checks it. Fails with OPTION_INVALID when its turn is never taken. */
export async function playCase(
  tested: TestedProfiles,
  testCase: TestCase,
  { folder, maxTurns, records, snapshots }: CasePlace,
): Promise<{ readonly played: Played; readonly failures: readonly Failure[] }> {
  const { body, profile } = testCase;
  const { run } = body;
  if (run !== undefined) {
    const played = await playRun(tested, { ...body, run }, { profile, maxTurns });
    return { played, failures: checkRun(testCase, played) };
  }
  const played =
    body.given?.from === undefined
      ? await playTurn(tested, body, profile)
      : await playRecorded(tested, body, { profile, folder, records });
  return { played, failures: await checkTurn(testCase, played, snapshots) };
}

/** Errors of what a test file names, which no change of a profile mends. */
const ofFile: ReadonlySet<string> = new Set([
  'RUN_UNKNOWN',
  'TURN_UNKNOWN',
  'BUNDLE_INVALID',
  'STORE_CORRUPT',
  'STORE_NEWER',
  'STORE_FAILED',
]);

function isOfFile({ code }: CadreError): boolean {
  return ofFile.has(code);
}

function isWanted({ file }: TestGroup, { body, profile }: TestCase, filter: string | undefined): boolean {
  const wanted = filter?.toLowerCase() ?? '';
  return [file, body.name, profile].some((text) => text.toLowerCase().includes(wanted));
}

function problemsOf(thrown: unknown, file: string): readonly Diagnostic[] {
  const diagnostics = thrown instanceof CadreError ? thrown.details['diagnostics'] : undefined;
  if (Array.isArray(diagnostics)) return (diagnostics as readonly Diagnostic[]).filter(({ severity }) => severity === 'error');
  const source = { file, line: 1, column: 1 };
  return [{ severity: 'error', code: 'BAD_REFERENCE', message: describeThrown(thrown), source }];
}
