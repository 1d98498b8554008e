import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Recording } from '../../core/recording/recording.ts';
import { checkOutput, writeOutput } from '../../files/output-file.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { bisectEval } from '../../testing/evals/bisect/bisect.ts';
import { formatBisection } from '../../testing/evals/bisect/format-bisection.ts';
import { EvalRecording } from '../../testing/evals/play/eval-recording.ts';
import { runEval, selectCases } from '../../testing/evals/play/run-eval.ts';
import { evalHtml } from '../../testing/evals/report/eval-html.ts';
import { evalJson, evalJunit } from '../../testing/evals/report/eval-files.ts';
import { formatBaseline, formatPlan, formatReport, formatResult } from '../../testing/evals/report/format-eval.ts';
import { checkComparable, compareWithBaseline, readBaseline } from '../../testing/evals/score/baseline.ts';
import type { EvalReport } from '../../testing/evals/score/eval-result.ts';
import { isPassed } from '../../testing/evals/score/summarize.ts';
import type { EvalSuite } from '../../testing/evals/suite/eval-suite.ts';
import { readSuite } from '../../testing/evals/suite/read-suite.ts';
import type { ExitCode } from '../exit-code.ts';
import { openTeams } from '../options/open-teams.ts';
import { profilesFolder } from '../options/profiles-folder.ts';
import { openRecording } from '../runs/write-recording.ts';
import { Interruption } from '../terminal/interruption.ts';
import { jsonText } from '../terminal/json-text.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { askOnTerminal } from '../trust/ask-on-terminal.ts';
import { FolderTrust } from '../trust/folder-trust.ts';
import { codeLines } from '../../engine/launch/reach-of-profiles.ts';

/** Options of `eval`. */
export interface EvalCommandOptions {
  readonly profiles?: string;
  readonly docs?: string;
  readonly store?: string;
  readonly trust?: boolean;
  readonly strict?: boolean;
  readonly filter?: string;
  readonly variant?: readonly string[];
  readonly again?: boolean;
  readonly retry?: boolean;
  readonly plan?: boolean;
  readonly bisect?: string;
  readonly baseline?: string;
  readonly out?: readonly string[];
  readonly record?: string;
  readonly replay?: string;
  readonly json?: boolean;
  readonly color?: boolean;
}

type Writer = (report: EvalReport, comparison: ReturnType<typeof compareWithBaseline> | undefined) => string;

/** Forms of reports, by the extension of their file. */
const forms: Readonly<Record<string, Writer>> = {
  '.json': (report, comparison) => `${jsonText(evalJson(report, comparison), 2)}\n`,
  '.xml': (report) => evalJunit(report),
  '.html': (report, comparison) => evalHtml(report, comparison),
};

/** The folder of a report must exist, since a misspelt one would be noticed only after the eval. */
const reportFile = { namedBy: 'user', makesFolders: false } as const;

/** Runs an eval suite and reports it. Exits 0 when enough runs passed, 1 when not, when something is worse than the baseline, or when the budget ended it. */
export async function evalCommand(file: string, options: EvalCommandOptions): Promise<ExitCode> {
  if (options.bisect !== undefined) return await bisect(file, options.bisect, options);
  const writers = (options.out ?? []).map((out) => ({ out, write: writerOf(out) }));
  for (const { out } of writers) await reporting(out, () => checkOutput(out, reportFile));
  const baseline = options.baseline === undefined ? undefined : await readBaseline(options.baseline);
  const replay = options.replay === undefined ? undefined : await EvalRecording.read(options.replay);
  const record = options.record === undefined ? undefined : new EvalRecording(options.record);
  if (options.record !== undefined) await openRecording(options.record);
  const terminal = openTerminal(options);
  const { errorStyle: style } = terminal;
  using interruption = new Interruption();
  const suite = await trusted(file, options);
  if (baseline !== undefined) checkComparable(baseline, selectCases(suite, { filter: options.filter, variants: options.variant }));
  using _guard = new ExitGuard();
  const opened = new EvalTeams(options, suite);
  const report = await runEval(suite, {
    open: async (profiles, recording) => await opened.open(profiles, recording),
    close: async (engine) => await opened.close(engine),
    profiles: profilesFolder(options.profiles),
    filter: options.filter,
    variants: options.variant,
    record,
    replay,
    again: options.again,
    retry: options.retry,
    signal: interruption.signal,
    onPlan: (plan) => {
      if (options.json !== true) terminal.tell(`${formatPlan(plan, style)}\n`);
      else if (options.plan === true) terminal.print(`${jsonText(plan, 2)}\n`);
      return options.plan !== true;
    },
    onResult: (result) => {
      if (options.json !== true) terminal.print(`${formatResult(result, terminal.outStyle)}\n`);
    },
  });
  if (options.plan === true) return 0;
  const comparison = baseline === undefined ? undefined : compareWithBaseline(report, baseline);
  // The result is there, whatever the disk does with the files.
  print(terminal, report, { comparison, json: options.json === true });
  // Half a recording would replace a whole one.
  if (report.stopped === undefined) await record?.write();
  else if (record !== undefined) terminal.tell(`${safe(record.source, 500)} was not written: the eval stopped before its end\n`);
  for (const { out, write } of writers) {
    await reporting(out, () => writeOutput(out, write(report, comparison), reportFile));
    if (options.json !== true) terminal.tell(`wrote ${safe(out, 500)}\n`);
  }
  if (report.stopped === 'interrupted') return 130;
  return isPassed(report) && comparison?.isWorse !== true ? 0 : 1;
}

/** Reads a suite, and asks for trust in the code of its checks. */
async function trusted(file: string, { trust, json }: EvalCommandOptions): Promise<EvalSuite> {
  const suite = await readSuite(file);
  const ask = json !== true && openTerminal().isInteractive ? askOnTerminal : undefined;
  await checkSuiteCode(suite, new FolderTrust({ place: suite.folder, isAgreed: trust === true, ask }));
  return suite;
}

/** Options that a bisection has no use for: left unsaid, `--plan` would run models. */
const notOfBisection = ['plan', 'again', 'retry', 'baseline', 'out', 'record', 'replay'] as const;

/** Finds the change of profiles that made a case fail. */
async function bisect(file: string, good: string, options: EvalCommandOptions): Promise<ExitCode> {
  const odd = notOfBisection.filter((name) => options[name] !== undefined && options[name] !== false);
  if (odd.length > 0)
    throw new CadreError('OPTION_INVALID', `--bisect cannot be combined with ${odd.map((name) => `--${name}`).join(', ')}`);
  const terminal = openTerminal(options);
  using interruption = new Interruption();
  const suite = await trusted(file, options);
  const opened = new EvalTeams(options, suite);
  try {
    const found = await bisectEval(suite, {
      open: async (profiles) => await opened.open(profiles),
      close: async (engine) => await opened.close(engine),
      profiles: profilesFolder(options.profiles),
      good: profilesFolder(good),
      filter: options.filter,
      variants: options.variant,
      signal: interruption.signal,
      onStep: (text) => terminal.tell(`${terminal.errorStyle.dim(safe(text, 500))}\n`),
    });
    terminal.print(options.json === true ? `${jsonText(found, 2)}\n` : `${formatBisection(found, terminal.outStyle)}\n`);
    return 0;
  } catch (thrown) {
    if (!interruption.signal.aborted || !(thrown instanceof CadreError && thrown.code === 'ENGINE_CLOSED')) throw thrown;
    terminal.tell(`${safe(thrown.message, 500)}\n`);
    return 130;
  }
}

function print(
  terminal: Terminal,
  report: EvalReport,
  told: {
    readonly comparison: ReturnType<typeof compareWithBaseline> | undefined;
    readonly json: boolean;
  },
): void {
  const { comparison, json } = told;
  const { outStyle: style, outWidth: width } = terminal;
  if (json) {
    terminal.print(`${jsonText(evalJson(report, comparison), 2)}\n`);
    return;
  }
  terminal.print(`\n${formatReport(report, { style, width })}\n`);
  if (comparison !== undefined) terminal.print(`\n${formatBaseline(comparison, style)}\n`);
}

function writerOf(out: string): Writer {
  const write = forms[path.extname(out).toLowerCase()];
  if (write !== undefined) return write;
  throw new CadreError(
    'OPTION_INVALID',
    `--out ${out}: the extension selects the form of the report: ${Object.keys(forms).join(', ')}`,
  );
}

/** Engines of an eval, each with the documents and the trust of every command that runs teams. */
class EvalTeams {
  readonly #options: EvalCommandOptions;
  readonly #suite: EvalSuite;
  readonly #open = new Map<Engine, AsyncDisposable>();

  constructor(options: EvalCommandOptions, suite: EvalSuite) {
    this.#options = options;
    this.#suite = suite;
  }

  async open(profiles: string, replay?: Recording): Promise<Engine> {
    const { docs, store, trust, strict } = this.#options;
    const { file, text } = this.#suite;
    const teams = await openTeams(
      { docs, profiles, store, trust, strict, replay },
      { command: 'eval', also: [{ path: file, text }] },
    );
    this.#open.set(teams.engine, teams);
    return teams.engine;
  }

  /** Closes an engine with its documents. */
  async close(engine: Engine): Promise<void> {
    const teams = this.#open.get(engine);
    this.#open.delete(engine);
    await teams?.[Symbol.asyncDispose]();
  }
}

/** While it is there, code that ends the process, such as that of a check, cannot make the command look as if it had succeeded. */
class ExitGuard implements Disposable {
  readonly #onExit = (code: number): void => {
    if (code !== 0) return;
    process.stderr.write('error: the process was ended before the command was done; does the code of a check call process.exit?\n');
    process.exitCode = 1;
  };

  constructor() {
    process.on('exit', this.#onExit);
  }

  [Symbol.dispose](): void {
    process.removeListener('exit', this.#onExit);
  }
}

/** Does what checks or writes a report. Fails with OPTION_INVALID or PATH_REFUSED. */
async function reporting(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof CadreError) throw thrown;
    throw new CadreError('OPTION_INVALID', `${file} cannot be written: ${describeThrown(thrown)}`, { cause: thrown });
  }
}

/** Checks that the code which a suite's checks run, with what it imports, is trusted: as it was read, which is what runs. Fails with FOLDER_UNTRUSTED. */
async function checkSuiteCode({ file, text, folder, cases }: EvalSuite, trust: FolderTrust): Promise<void> {
  const named = new Set(cases.flatMap(({ checks }) => checks.flatMap(({ code }) => code ?? [])));
  const lines: string[] = [];
  for (const code of named) {
    try {
      lines.push(...(await codeLines(await code.read())));
    } catch (thrown) {
      if (!(thrown instanceof CadreError)) throw thrown;
      throw new CadreError('OPTION_INVALID', `${file}: ${thrown.message}`, { cause: thrown });
    }
  }
  await trust.checkCode({ path: path.join(folder, path.basename(file)), text }, lines.toSorted());
}
