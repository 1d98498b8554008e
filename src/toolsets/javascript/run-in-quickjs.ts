import { inspect } from 'node:util';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten';
import { describeThrown } from '../../core/error.ts';
import { cutText } from '../../tools/cut-text.ts';
import { importPackage } from '../../tools/import-package.ts';

/** Part of the global `WebAssembly` that is used here; the types of Node have none. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => { readonly buffer: ArrayBuffer };
};

/** Code to run, and its limits. */
export interface JavaScriptJob {
  readonly code: string;
  readonly timeoutMs: number;
  /** Memory of the engine with the code, in megabytes; at least `leastMemoryMb`. */
  readonly memoryMb: number;
}

/** Result of running code. */
export interface JavaScriptOutcome {
  readonly console: string;
  /** Number of console characters that were not kept. */
  readonly dropped: number;
  /** Value of the last expression, as text of at most about `partChars`; undefined when it has none. */
  readonly value?: string;
  /** Error, with its place in the code. */
  readonly error?: string;
}

/** Maximum number of characters of one part of a result. */
export const partChars = 12_000;
/** Maximum number of characters kept of console output. */
const maxConsoleChars = 200_000;
/** Memory with which the engine begins, in megabytes. */
export const leastMemoryMb = 16;
/** Size of a page of WebAssembly, in bytes. */
const pageBytes = 65_536;
/** Maximum size of the QuickJS stack, in bytes. */
const maxStackBytes = 256 * 1024;
/** Number of promise jobs that run between checks of the time. */
const jobsAtOnce = 1_000;

const tooLong = 'it took longer than its timeout';
/** Errors of code without memory; with none left, there is not even room for the error. */
const outOfMemory = /^(?:InternalError: out of memory|thrown: (?:null|''))/;

/**
 * Runs code in a separate engine that has only a console. Blocks, and values of the code are copied out of the engine to be written down, so
 * it runs in a separate process.
 */
export async function runInQuickJs(job: JavaScriptJob): Promise<JavaScriptOutcome> {
  const load = (): Promise<typeof import('quickjs-emscripten')> => import('quickjs-emscripten');
  const quickjs = await importPackage(load, 'The toolset javascript', ['quickjs-emscripten']);
  // The bound is the memory of WebAssembly itself: the engine's own limit does not count the contents of what it allocates there.
  const pages = (megabytes: number): number => Math.floor((megabytes * 1024 * 1024) / pageBytes);
  const wasmMemory = new WebAssembly.Memory({ initial: pages(leastMemoryMb), maximum: pages(job.memoryMb) });
  const variant = quickjs.newVariant(quickjs.RELEASE_SYNC, { wasmMemory });
  const runtime = (await quickjs.newQuickJSWASMModuleFromVariant(variant)).newRuntime();
  runtime.setMaxStackSize(maxStackBytes);
  const deadline = performance.now() + job.timeoutMs;
  const isOver = (): boolean => performance.now() > deadline;
  runtime.setInterruptHandler(isOver);
  const context = runtime.newContext();
  const log = addConsole(context);
  const { error, value } = evaluateSafely({ runtime, context, isOver }, job.code);
  const isFull = wasmMemory.buffer.byteLength > job.memoryMb * pageBytes * 8;
  const hint = isFull && outOfMemory.test(error ?? '') ? `\nIt has ${job.memoryMb} MB of memory: keep less at a time.` : '';
  // The engine ends with the process: after running out of memory it may not be able to free itself.
  return {
    console: log.text,
    dropped: log.dropped,
    // Cut here, so that what leaves the process is small.
    ...(value === undefined ? {} : { value: cutText(value, partChars) }),
    ...(error === undefined ? {} : { error: cutText(`${error}${hint}`, partChars) }),
  };
}

/** QuickJS engine that runs one piece of code. */
interface Engine {
  readonly runtime: QuickJSRuntime;
  readonly context: QuickJSContext;
  /** True when the time is up. */
  readonly isOver: () => boolean;
}

type Evaluated = Pick<JavaScriptOutcome, 'value' | 'error'>;

/** Evaluates code; returns an error even for a failure of the engine itself (nesting deeper than the stack of WebAssembly). */
function evaluateSafely(engine: Engine, code: string): Evaluated {
  try {
    return evaluate(engine, code);
  } catch (thrown) {
    return { error: describeThrown(thrown) };
  }
}

function evaluate({ runtime, context, isOver }: Engine, code: string): Evaluated {
  let result = context.evalCode(code, '<code>', { type: 'global' });
  // Top-level `await` needs a module; the value of a module's last expression is not available.
  if (result.error !== undefined && /\bawait\b/.test(code) && nameOf(context, result.error) === 'SyntaxError')
    result = context.evalCode(code, '<code>', { type: 'module' });
  if (result.error !== undefined) return { error: describeError(context, result.error, isOver) };
  const jobs = runJobs(runtime, isOver);
  if (jobs !== undefined) return { error: jobs };
  // An interrupted job reports no error.
  if (isOver()) return { error: tooLong };
  const state = context.getPromiseState(result.value);
  switch (state.type) {
    case 'fulfilled':
      return valueOf(context, state.value);
    case 'rejected':
      return { error: describeError(context, state.error, isOver) };
    case 'pending':
      return { error: 'it waits for a promise that nothing can settle any more' };
  }
}

/** Runs promise jobs until none are left; returns the error that stopped it earlier. */
function runJobs(runtime: QuickJSRuntime, isOver: () => boolean): string | undefined {
  while (runtime.hasPendingJob()) {
    if (isOver()) return tooLong;
    const done = runtime.executePendingJobs(jobsAtOnce);
    if (done.error !== undefined) return describeError(done.error.context, done.error, isOver);
  }
  return undefined;
}

function valueOf(context: QuickJSContext, handle: QuickJSHandle): Evaluated {
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

/** Adds a console to the context; returns the log of its lines. */
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
