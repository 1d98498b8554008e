import path from 'node:path';
import { stat } from 'node:fs/promises';
import { CadreError, toErrorRecord } from '../../core/error.ts';
import type { ToolContext } from '../../core/tool/tool.ts';
import { makeTempFolder, removeTemp, writeTempFile } from '../../files/temp-folder.ts';
import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import { CapturedOutput } from '../process/captured-output.ts';
import { settingsProgram } from '../../files/programs/agreed-program.ts';
import { seenInSandbox } from '../sandbox/sandbox-files.ts';
import { cleanEnvironment } from '../process/clean-environment.ts';
import { describeEnd, describeStreams } from '../process/describe-output.ts';
import type { ProgramSettings } from '../process/program-settings.ts';
import type { ProcessEnd, RunningProcess } from '../process/running-process.ts';
import { createSpillFile } from '../process/spill-file.ts';
import { startProgram } from '../process/start-program.ts';
import { describeWritten, writtenFiles, writtenImages } from '../process/written-files.ts';

/** Time a program has to end by itself when its call is aborted, in milliseconds. */
const abortGraceMs = 500;

/** Python code to run. */
export interface PythonRun {
  readonly program: string;
  readonly code: string;
  readonly timeoutMs: number;
}

/**
 * Runs Python code in a separate process, with the workspace as its current folder.
 *
 * @throws CadreError `DEPENDENCY_MISSING` when there is no Python
 */
export async function runPython(run: PythonRun, settings: ProgramSettings, context: ToolContext): Promise<ToolReturn> {
  const { workspace } = context;
  const scratch = makeTempFolder('python');
  const output = (stream: string): CapturedOutput =>
    new CapturedOutput(() => createSpillFile(workspace, `python-${context.toolCallId}-${Date.now().toString(36)}.${stream}.txt`));
  const [stdout, stderr] = [output('stdout'), output('stderr')];
  try {
    const program = pythonAt(run.program, settings, workspace);
    const code = path.join(scratch, 'code.py');
    writeTempFile(code, run.code);
    // Uses the clock of the file system: this file is older than every file the program writes.
    const { ctimeMs: since } = await stat(code);
    const end = await runToEnd(context, () =>
      startProgram({
        ...settings,
        timeoutMs: run.timeoutMs,
        argv: [program, '-I', '-B', '-X', 'utf8', '-c', pythonRunner, code],
        env: {
          ...cleanEnvironment({ home: scratch, sandboxed: settings.policy !== undefined, given: settings.env }),
          MPLBACKEND: 'Agg',
          MPLCONFIGDIR: scratch,
        },
        workspace,
        temporary: scratch,
        live: context.live,
        stdout,
        stderr,
      }),
    );
    const files = await writtenFiles(workspace, since);
    const text = [describeEnd(end), ...describeStreams(stdout, stderr), ...describeWritten(files), ...end.notes].join('\n');
    const images = await writtenImages(workspace, files);
    return toolReturn({
      content: images.length === 0 ? text : [{ type: 'text', text }, ...images],
      ...(end.cause === 'exit' && end.exitCode === 0 && end.notes.length === 0 ? {} : { isError: true }),
    });
  } finally {
    await removeTemp(scratch);
  }
}

/** Starts a program as a resource of the agent, waits for its end, and stops it when the call is aborted. */
async function runToEnd(context: ToolContext, start: () => Promise<RunningProcess>): Promise<ProcessEnd> {
  const name = `python:${context.toolCallId}`;
  const program = await context.live.agent.open(name, async () => {
    const value = await start();
    return { value, close: () => value.stop('stopped', abortGraceMs) };
  });
  const stop = (): void => void program.stop('stopped', abortGraceMs);
  if (context.signal.aborted) stop();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    return await program.ended;
  } finally {
    context.signal.removeEventListener('abort', stop);
    await context.live.agent.close(name);
  }
}

/** Finds the program of the settings; a path is relative to the working folder of Cadre, as it was when a person agreed to it. */
function pythonAt(written: string, { policy, env }: ProgramSettings, workspace: string): string {
  const usable = policy === undefined ? undefined : seenInSandbox(policy, workspace);
  try {
    return settingsProgram(written, process.cwd(), { in: 'both', path: env['PATH'], usable }).path;
  } catch (thrown) {
    const install = process.platform === 'darwin' ? 'brew install python' : 'apt-get install -y python3';
    throw new CadreError(
      'DEPENDENCY_MISSING',
      `Python cannot be started: ${toErrorRecord(thrown, 'DEPENDENCY_MISSING').message} Install it with: ${install}. Or name another with the setting \`python\`; in a ` +
        'sandbox, folders of a home are hidden unless the setting `read` names them.',
      { cause: thrown },
    );
  }
}

/**
 * Python program that runs the code of a file as a notebook would: all of it, then prints the value of its last expression. The code sees
 * a plain `__main__`; tracebacks begin in it. The workspace is last in the module search path, so that a file in it cannot shadow a
 * module of Python.
 */
const pythonRunner = `
import ast, linecache, os, sys, traceback
def run(path):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    name = "<code>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    sys.argv = [name]
    sys.path.append(os.getcwd())
    scope = {"__name__": "__main__", "__builtins__": __builtins__, "__doc__": None}
    try:
        tree = ast.parse(source, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), scope)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), scope)
            if value is not None:
                print(repr(value))
    except Exception as error:
        sys.stdout.flush()
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != name:
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
        return 1
    return 0
sys.exit(run(sys.argv[1]))
`;
