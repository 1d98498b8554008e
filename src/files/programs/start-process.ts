import {
  execFile,
  fork,
  spawn,
  spawnSync,
  type ChildProcess,
  type ForkOptions,
  type SpawnOptions,
  type SpawnSyncReturns,
} from 'node:child_process';
import { assertFound } from './find-program.ts';
import type { CarriedName } from './inside-environment.ts';
import { outsideEnvironment } from './outside-environment.ts';
import { ownNode } from './own-node.ts';

/** Variables that a program outside a sandbox may get besides the fixed ones: names that no program acts on. */
export type NeutralVariables = Readonly<Partial<Record<CarriedName | 'CADRE_COMMAND_MARK', string>>>;

/** Options for starting a process; its environment is `outsideEnvironment` and `variables`. */
export interface StartOptions extends Pick<
  SpawnOptions,
  'cwd' | 'stdio' | 'detached' | 'windowsHide' | 'timeout' | 'signal' | 'argv0'
> {
  readonly variables?: NeutralVariables | undefined;
}

/**
 * Starts a program outside a sandbox: the only place that does. The program must have been found by `findProgram` (or agreed to by a
 * person) and be the same still.
 *
 * @throws CadreError `DEPENDENCY_MISSING` when it was replaced since; then nothing has run
 */
export function startProcess(argv: readonly [string, ...string[]], { variables, ...options }: StartOptions): ChildProcess {
  const [program, ...args] = argv;
  assertFound(program);
  return withListeners(spawn(program, args, { ...options, shell: false, env: { ...outsideEnvironment, ...variables } }));
}

/** Starts a program like `startProcess` with the given environment: for systems without a shell that could set it for the command. */
export function startDirectly(
  argv: readonly [string, ...string[]],
  { env, ...options }: Omit<StartOptions, 'variables'> & { readonly env: Readonly<Record<string, string>> },
): ChildProcess {
  const [program, ...args] = argv;
  assertFound(program);
  return withListeners(spawn(program, args, { ...options, shell: false, env }));
}

/**
 * Starts a file of Cadre in a separate process, with the Node that runs this process.
 *
 * @throws CadreError `DEPENDENCY_MISSING` when that Node was replaced since this process began
 */
export function forkOwn(file: URL, options: Pick<ForkOptions, 'execArgv' | 'serialization' | 'stdio'>): ChildProcess {
  const node = ownNode();
  assertFound(node);
  return withListeners(fork(file, { ...options, execPath: node, env: { TZ: process.env['TZ'] ?? 'UTC', LANG: 'C.UTF-8' } }));
}

/**
 * Gives a process and its pipes listeners for their whole life: an error without one would end this process. Code that waits for the process
 * learns from its own listeners that it did not start, or how it ended.
 */
function withListeners(child: ChildProcess): ChildProcess {
  child.on('error', () => undefined);
  for (const pipe of child.stdio) pipe?.on('error', () => undefined);
  return child;
}

/** Runs a program that ends at once, and waits for it without letting other work proceed. */
export function runAtOnce(
  argv: readonly [string, ...string[]],
  options: Pick<SpawnOptions, 'timeout' | 'stdio'>,
): SpawnSyncReturns<string> {
  const [program, ...args] = argv;
  assertFound(program);
  return spawnSync(program, args, { ...options, shell: false, encoding: 'utf8', env: outsideEnvironment });
}

/** Output of a program that has ended. */
export interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined when it succeeded; else its exit code, its signal or why it could not be started. */
  readonly failure: string | undefined;
}

/** Runs a program with the given environment and resolves with its output. */
export async function runForOutput(
  argv: readonly [string, ...string[]],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly timeout: number;
    readonly maxBuffer: number;
  },
): Promise<ProgramOutput> {
  const [program, ...args] = argv;
  assertFound(program);
  return await new Promise((resolve) => {
    execFile(program, args, { ...options, shell: false, encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, failure: error === null ? undefined : String(error.signal ?? error.code ?? error.message) }),
    );
  });
}

/** Runs a program to its end; resolves with undefined when it succeeded, else with what it wrote to stderr. */
export async function runToEnd(
  argv: readonly [string, ...string[]],
  options: Omit<StartOptions, 'stdio'>,
): Promise<string | undefined> {
  const child = startProcess(argv, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  child.once('error', (thrown) => resolve(thrown.message));
  child.once('close', (code) => resolve(code === 0 ? undefined : stderr));
  return await promise;
}
