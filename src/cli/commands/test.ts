import { existsSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { findTests } from '../../testing/cases/find-tests.ts';
import { formatCase, formatCoverage, formatProblems, formatSummary } from '../../testing/suite/format-suite.ts';
import { runSuite, type SuiteOptions, type SuiteReport } from '../../testing/suite/run-suite.ts';
import { suiteJson, suiteJunit } from '../../testing/suite/suite-files.ts';
import type { ExitCode } from '../exit-code.ts';
import { knownDocumentTools } from '../options/known-document-tools.ts';
import { profilesFolder } from '../options/profiles-folder.ts';
import { openRecordedRun } from '../runs/recorded-run.ts';
import { Interruption } from '../terminal/interruption.ts';
import { jsonText } from '../terminal/json-text.ts';
import { tellWarnings } from '../terminal/loading-warnings.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { bundledTeam } from '../../profiles/files/bundled-teams.ts';
import { profileStamp } from '../../profiles/profile-stamp.ts';
import { writeTestCommand, type WriteTestOptions } from './write-test.ts';

/** Options of `test`. */
export interface TestCommandOptions extends WriteTestOptions {
  readonly filter?: string;
  readonly watch?: boolean;
  readonly reporter?: 'text' | 'json' | 'junit';
  readonly update?: boolean;
  readonly coverage?: boolean;
  readonly strict?: boolean;
}

/** Milliseconds between two looks at watched files. */
const watchMs = 400;

/** Runs tests of profiles, or writes one from a recorded turn. Exits 0 when all pass, 1 when some fail, 2 for bad test files. */
export async function testCommand(paths: readonly string[], options: TestCommandOptions): Promise<ExitCode> {
  if (options.from !== undefined) return await writeTestCommand(paths, options);
  if (options.out !== undefined) throw new CadreError('OPTION_INVALID', '--out is the file that --from RUN TURN writes');
  const terminal = openTerminal(options);
  const usual = profilesFolder(options.profiles);
  const wanted = paths.length === 0 ? [usual] : paths.map((each) => (existsSync(each) ? each : (bundledTeam(each) ?? each)));
  const suite: SuiteOptions = {
    paths: wanted,
    usual,
    ...(options.profiles === undefined ? {} : { profiles: usual }),
    filter: options.filter,
    // A snapshot that CI writes is looked at by no person.
    snapshots: options.update === true ? 'update' : isCi() ? 'none' : 'new',
    tools: knownDocumentTools(),
    strict: options.strict,
  };
  if (options.watch !== true) return await once(suite, options, terminal);
  if ((options.reporter ?? 'text') !== 'text') throw new CadreError('OPTION_INVALID', '--watch prints text; leave out --reporter');
  return await watch(suite, options, terminal);
}

function isCi(): boolean {
  const value = process.env['CI'] ?? '';
  return value !== '' && value !== '0' && value !== 'false';
}

async function once(suite: SuiteOptions, options: TestCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { reporter = 'text' } = options;
  const { outStyle: style } = terminal;
  const isText = reporter === 'text';
  using opened = new DisposableStack();
  const report = await runSuite({
    ...suite,
    records: async (run) => opened.use(await openRecordedRun(options.store, run)),
    onCase: isText ? (result) => terminal.print(`${formatCase(result, style)}\n`) : undefined,
  });
  assertCases(report, suite);
  tellWarnings(report.warnings);
  if (reporter === 'json') terminal.print(`${jsonText(suiteJson(report), 2)}\n`);
  else if (reporter === 'junit') terminal.print(suiteJunit(report));
  else {
    if (report.problems.length > 0) terminal.print(`${formatProblems(report, style)}\n`);
    if (options.coverage === true) terminal.print(`${formatCoverage(report.coverage.map(inFolder), style)}\n`);
    terminal.print(`${formatSummary(report, style)}\n`);
  }
  if (report.problems.length > 0) return 2;
  return report.cases.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

function inFolder(coverage: SuiteReport['coverage'][number]): SuiteReport['coverage'][number] {
  return { ...coverage, team: path.relative('', coverage.team) || '.' };
}

/** A run of no cases proves nothing, and usually has a reason. */
function assertCases({ cases, problems, skipped }: SuiteReport, { paths, filter }: SuiteOptions): void {
  if (cases.length > 0 || problems.length > 0) return;
  const places = paths.map((each) => safe(path.relative('', each) || each)).join(', ');
  if (skipped > 0)
    throw new CadreError(
      'OPTION_INVALID',
      `none of the ${skipped} cases in ${places} has '${filter ?? ''}' in its name, file or profile`,
    );
  throw new CadreError(
    'OPTION_INVALID',
    `there are no tests in ${places}: write NAME.test.yaml beside a profile, tests: in a profile, or take a recorded turn with: cadre test --from RUN TURN`,
  );
}

/** Runs the tests again whenever a profile or test file changes, until Ctrl-C. */
async function watch(suite: SuiteOptions, options: TestCommandOptions, terminal: Terminal): Promise<ExitCode> {
  using interruption = new Interruption({ onlyReads: true });
  let seen: string | undefined;
  while (!interruption.signal.aborted) {
    const stamp = await stampOf(suite);
    if (stamp !== seen) {
      seen = stamp;
      // A file that is being edited may be wrong for a moment, or gone.
      await once(suite, options, terminal).catch((thrown: unknown) => {
        if (!(thrown instanceof CadreError)) throw thrown;
        terminal.print(`${terminal.outStyle.red('error')} ${safe(thrown.message, 2_000)}\n`);
      });
      terminal.tell(terminal.errorStyle.dim('Waiting for changes; Ctrl-C ends.\n'));
    }
    await Promise.race([new Promise((resolve) => setTimeout(resolve, watchMs)), interruption.asked]);
  }
  return 130;
}

async function stampOf(suite: SuiteOptions): Promise<string> {
  const teams = await findTests(suite).catch(() => []);
  const folders = new Set([suite.usual, ...teams.map(({ profiles }) => profiles)]);
  const files = teams.flatMap(({ testFiles, profileFiles }) => [...testFiles, ...profileFiles]);
  return (await Promise.all([...folders, ...files].map(async (place) => await profileStamp(place)))).join('\n');
}
