import { inspect } from 'node:util';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten';
import { describeThrown } from '../../core/error.ts';
import { importPackage } from '../../tools/import-package.ts';

/** Code to run, and what it may take. */
export interface JavaScriptJob {
  readonly code: string;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

/** What came of it. */
export interface JavaScriptOutcome {
  readonly console: string;
  /** Characters the console had no room for. */
  readonly dropped: number;
  /** The value of the last expression, in words; undefined when it had none. */
  readonly value?: string;
  /** Why it failed, with the place in the code. */
  readonly error?: string;
}

/** Characters of console output that are kept. */
const maxConsoleChars = 200_000;
/** Depth of calls, in bytes of the engine's own stack. */
const maxStackBytes = 256 * 1024;
/** Jobs of promises that run before the time is looked at. */
const jobsAtOnce = 1_000;

const tooLong = 'it took longer than its timeout';

/** Runs code in an engine of its own that has a console and nothing else. Blocks its thread: to be called on a worker. */
export async function runInQuickJs(job: JavaScriptJob): Promise<JavaScriptOutcome> {
  const load = (): Promise<typeof import('quickjs-emscripten')> => import('quickjs-emscripten');
  const { newQuickJSWASMModule } = await importPackage(load, 'The toolset javascript', ['quickjs-emscripten']);
  const runtime = (await newQuickJSWASMModule()).newRuntime();
  runtime.setMemoryLimit(job.memoryBytes);
  runtime.setMaxStackSize(maxStackBytes);
  const deadline = performance.now() + job.timeoutMs;
  const isOver = (): boolean => performance.now() > deadline;
  runtime.setInterruptHandler(isOver);
  const context = runtime.newContext();
  const log = addConsole(context);
  const outcome = evaluateSafely(runtime, context, job.code, isOver);
  // The whole engine goes with the thread: an engine that ran out of memory cannot be relied on to take itself apart.
  return { console: log.text, dropped: log.dropped, ...outcome };
}

/** What even the engine cannot bear (nesting that is deeper than the stack of WebAssembly) ends the code, too. */
function evaluateSafely(...args: Parameters<typeof evaluate>): ReturnType<typeof evaluate> {
  try {
    return evaluate(...args);
  } catch (thrown) {
    return { error: describeThrown(thrown) };
  }
}

function evaluate(
  runtime: QuickJSRuntime,
  context: QuickJSContext,
  code: string,
  isOver: () => boolean,
): { readonly value?: string; readonly error?: string } {
  let result = context.evalCode(code, '<code>', { type: 'global' });
  // `await` at the top is for modules; the value of a module's last expression cannot be had.
  if (result.error !== undefined && /\bawait\b/.test(code) && nameOf(context, result.error) === 'SyntaxError')
    result = context.evalCode(code, '<code>', { type: 'module' });
  if (result.error !== undefined) return { error: describeError(context, result.error, isOver) };
  const jobs = runJobs(runtime, isOver);
  if (jobs !== undefined) return { error: jobs };
  // A job that was interrupted is gone without a word.
  if (isOver()) return { error: tooLong };
  const state = context.getPromiseState(result.value);
  switch (state.type) {
    case 'fulfilled':
      return described(context, state.value);
    case 'rejected':
      return { error: describeError(context, state.error, isOver) };
    case 'pending':
      return { error: 'it waits for a promise that nothing can settle any more' };
  }
}

/** Runs what promises have to do until there is nothing left; says why it stopped before that. */
function runJobs(runtime: QuickJSRuntime, isOver: () => boolean): string | undefined {
  while (runtime.hasPendingJob()) {
    if (isOver()) return tooLong;
    const done = runtime.executePendingJobs(jobsAtOnce);
    if (done.error !== undefined) return describeError(done.error.context, done.error, isOver);
  }
  return undefined;
}

function described(context: QuickJSContext, handle: QuickJSHandle): { readonly value?: string } {
  if (context.typeof(handle) === 'undefined') return {};
  return { value: inWords(context, handle) };
}

function inWords(context: QuickJSContext, handle: QuickJSHandle): string {
  const type = context.typeof(handle);
  if (type === 'string') return context.getString(handle);
  if (type === 'function' || type === 'symbol') return `[${type}]`;
  const value: unknown = context.dump(handle);
  return typeof value === 'string' ? value : inspect(value, { depth: 5, maxArrayLength: 200, breakLength: 120 });
}

function describeError(context: QuickJSContext, handle: QuickJSHandle, isOver: () => boolean): string {
  const thrown: unknown = context.dump(handle);
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) return `thrown: ${inspect(thrown)}`;
  const { name, message, stack } = thrown as { readonly name?: unknown; readonly message: unknown; readonly stack?: unknown };
  if (message === 'interrupted' && isOver()) return tooLong;
  const place = typeof stack === 'string' && stack.trim() !== '' ? `\n${stack.trimEnd()}` : '';
  return `${String(name ?? 'Error')}: ${String(message)}${place}`;
}

function nameOf(context: QuickJSContext, handle: QuickJSHandle): string {
  return context.getProp(handle, 'name').consume((name) => String(context.dump(name)));
}

/** Gives the code a console whose lines are kept. */
function addConsole(context: QuickJSContext): { text: string; dropped: number } {
  const log = { text: '', dropped: 0 };
  const write = (level: string, handles: readonly QuickJSHandle[]): void => {
    const line = `${level}${handles.map((handle) => inWords(context, handle)).join(' ')}\n`;
    const room = Math.max(0, maxConsoleChars - log.text.length);
    log.text += line.slice(0, room);
    log.dropped += Math.max(0, line.length - room);
  };
  const console = context.newObject();
  for (const name of ['log', 'info', 'debug', 'warn', 'error']) {
    const level = name === 'warn' || name === 'error' ? `${name}: ` : '';
    const method = context.newFunction(name, (...handles) => write(level, handles));
    context.setProp(console, name, method);
    method.dispose();
  }
  context.setProp(context.global, 'console', console);
  console.dispose();
  return log;
}
