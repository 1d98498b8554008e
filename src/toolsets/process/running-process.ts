import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { CadreError, describeThrown } from '../../core/error.ts';
import { startProcess, type NeutralVariables } from '../../files/programs/start-process.ts';
import type { CapturedOutput } from './captured-output.ts';
import { findMarked, findUnclear, markVariable, startTicks } from './marked-processes.ts';
import { ProcessWatch, type Exceeded, type WatchedProcess } from './process-watch.ts';
import { askInside, signalProcesses } from './signal-processes.ts';

/** Maximum wait for remaining output after the end, when another process still holds the pipe, in milliseconds. */
const drainMs = 200;

/** Process to start. */
export interface ProcessRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Values that its command sets for itself (`setInside`); apart from them the environment is fixed. */
  readonly carried: NeutralVariables;
  /** File for standard input; empty input when absent. */
  readonly stdinFile?: string;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** Maximum bytes of output, both streams together; a process that writes more is stopped. */
  readonly maxOutputBytes: number;
  readonly timeoutMs?: number;
  /** Time to end by itself after a request to stop, in milliseconds. */
  readonly graceMs: number;
  /** True when the process runs in a sandbox, which ends everything in it. */
  readonly sandboxed: boolean;
  /** Passes it a lifeline at file descriptor 3, whose other end closes when this process is gone. */
  readonly lifeline: boolean;
  /** Limits for it and everything it starts, together. */
  readonly totals: Omit<WatchedProcess, 'pid' | 'mark'>;
  /** Guard of its workspace. */
  readonly guard?: ProcessGuard;
}

/** Guard that watches a process while it runs. */
export interface ProcessGuard {
  /** Called once it runs; `end` ends it. */
  watch(end: () => void): void;
  /** Called when no part of it runs; returns lines about the files it left. */
  release(): Promise<readonly string[]>;
}

/** Reason for the end of a process. */
export type EndCause = 'exit' | 'timeout' | 'stopped' | 'output' | 'planted' | Exceeded;

/** End of a process. */
export interface ProcessEnd {
  readonly cause: EndCause;
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly ms: number;
  /** Number of processes it left running, which were killed; not counted in a sandbox, where they end with it. */
  readonly leftRunning: number;
  /** Lines about the files it left; empty when there is nothing to report. */
  readonly notes: readonly string[];
}

/**
 * Process and everything it started.
 *
 * 1. Once `ended` has resolved, no part of it runs, as far as processes can be found.
 * 2. `ended` resolves soon after the process itself is over, even when other processes hold its pipes open.
 */
export class RunningProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly startedAt = performance.now();
  readonly #request: ProcessRequest;
  readonly #mark = randomBytes(12).toString('hex');
  readonly #child: ChildProcess;
  readonly #startTicks: number;
  #cause: EndCause = 'exit';
  #over = false;
  #released = false;
  #timers: NodeJS.Timeout[] = [];

  /** @throws CadreError `TOOL_FAILED` by `ended` when the program cannot be started */
  constructor(request: ProcessRequest) {
    this.#request = request;
    const stdin = request.stdinFile === undefined ? 'ignore' : openSync(request.stdinFile, 'r');
    try {
      this.#child = startProcess(request.argv, {
        cwd: request.cwd,
        variables: { ...request.carried, [markVariable]: this.#mark },
        stdio: [stdin, 'pipe', 'pipe', ...(request.lifeline ? (['pipe'] as const) : [])],
        // Starts a new process group and session: it has no terminal, and all of it can be signalled.
        detached: true,
      });
    } finally {
      if (stdin !== 'ignore') closeSync(stdin);
    }
    this.#startTicks = startTicks(this.#child.pid ?? 0);
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#take(request.stdout, chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#take(request.stderr, chunk));
    this.ended = this.#watch();
    // The caller awaits `ended`, but not always before it rejects.
    this.ended.catch(() => undefined);
    request.guard?.watch(() => void this.stop('planted', 0));
  }

  /** True when the process is over. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Ends it and everything it started: asks first, and kills after the grace period. Resolves when it is over. */
  async stop(cause: EndCause = 'stopped', graceMs: number = this.#request.graceMs): Promise<void> {
    if (!this.#over) {
      // The first reason counts; a later call may only make it quicker.
      const isFirst = this.#cause === 'exit';
      if (isFirst) this.#cause = cause;
      // Without a grace period, kill immediately: a process that floods or multiplies would go on meanwhile.
      if (graceMs === 0) this.#kill();
      else if (isFirst) this.#ask();
      this.#timers.push(setTimeout(() => this.#kill(), graceMs));
    }
    await this.ended.catch(() => undefined);
  }

  #take(output: CapturedOutput, chunk: Buffer): void {
    output.add(chunk);
    const { stdout, stderr, maxOutputBytes } = this.#request;
    if (this.#cause === 'exit' && stdout.bytes + stderr.bytes > maxOutputBytes) void this.stop('output', 0);
  }

  async #watch(): Promise<ProcessEnd> {
    const { timeoutMs, totals } = this.#request;
    if (timeoutMs !== undefined) this.#timers.push(setTimeout(() => void this.stop('timeout'), timeoutMs));
    const watched = { ...totals, pid: this.#child.pid ?? 0, mark: this.#mark };
    const watch = new ProcessWatch(watched, (why) => void this.stop(why, 0));
    try {
      const { exitCode, signal } = await this.#exit();
      const leftRunning = await this.#endLeftovers();
      await this.#drain();
      const ms = performance.now() - this.startedAt;
      const exceeded = watch.close();
      if (this.#cause === 'exit' && exceeded !== undefined) this.#cause = exceeded;
      const notes = (await this.#release()) ?? [];
      return { cause: this.#cause, exitCode, signal, ms, leftRunning, notes };
    } finally {
      this.#over = true;
      watch.close();
      totals.group?.remove();
      await this.#release();
      for (const timer of this.#timers) clearTimeout(timer);
      this.#request.stdout.close();
      this.#request.stderr.close();
    }
  }

  /** Releases the guard, once. */
  async #release(): Promise<readonly string[] | undefined> {
    if (this.#released) return undefined;
    this.#released = true;
    return await this.#request.guard?.release();
  }

  #exit(): Promise<{ readonly exitCode: number | undefined; readonly signal: string | undefined }> {
    const [program] = this.#request.argv;
    return new Promise((resolve, reject) => {
      this.#child.once('error', (error) =>
        reject(
          new CadreError('TOOL_FAILED', `${program} cannot be started in ${this.#request.cwd}: ${describeThrown(error)}`, {
            cause: error,
          }),
        ),
      );
      this.#child.once('exit', (code, signal) => resolve({ exitCode: code ?? undefined, signal: signal ?? undefined }));
    });
  }

  /** Kills processes that the command left running, so that none outlives it unseen; returns their number. */
  async #endLeftovers(): Promise<number> {
    const companion = this.#request.lifeline ? 1 : 0;
    const left = this.#request.sandboxed ? 0 : Math.max(0, findMarked(this.#mark).length - companion);
    this.#kill();
    // Repeats the kill to catch processes that fork meanwhile, or were about to become another program.
    for (let round = 0; round < 20 && this.#mayBeLeft(); round += 1) {
      await pause(10);
      this.#kill();
    }
    return left;
  }

  /** True while processes may remain. In a sandbox too, the kernel ends the rest a moment after the outermost process. */
  #mayBeLeft(): boolean {
    return findMarked(this.#mark).length > 0 || (this.#startTicks >= 0 && findUnclear(this.#startTicks).length > 0);
  }

  async #drain(): Promise<void> {
    const { stdout, stderr, stdio } = this.#child;
    const open = [stdout, stderr].filter((stream) => stream?.closed === false);
    const done = Promise.all(open.map((stream) => (stream === null ? Promise.resolve() : closed(stream))));
    await Promise.race([done, pause(drainMs)]);
    for (const stream of stdio) stream?.destroy();
  }

  #ask(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (this.#request.sandboxed) askInside(this.#mark, 'SIGTERM');
    else signalProcesses(pid, this.#mark, 'SIGTERM');
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid !== undefined) signalProcesses(pid, this.#mark, 'SIGKILL');
  }
}

function closed(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => stream.once('close', () => resolve()));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
