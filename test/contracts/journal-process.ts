import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('journal-child.ts', import.meta.url));

/** Real process that works on a journal file (journal-child.ts). */
export class JournalProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #said: string[] = [];

  constructor(what: 'hold' | 'append' | 'compete' | 'write', file: string, runId: string) {
    this.#child = spawn(process.execPath, [script, what, file, runId], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the child has no output');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Lines of its output read so far. */
  get said(): readonly string[] {
    return this.#said;
  }

  /** Returns the next line of its output; undefined when it has ended. */
  async line(): Promise<string | undefined> {
    const next = await this.#lines.next();
    if (next.done === true) return undefined;
    this.#said.push(next.value);
    return next.value;
  }

  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  /** Kills it without warning, as a power cut would, and reads its remaining output. */
  async kill(): Promise<void> {
    const exited = this.#child.exitCode === null && this.#child.signalCode === null ? once(this.#child, 'exit') : undefined;
    this.signal('SIGKILL');
    while ((await this.line()) !== undefined);
    await exited;
  }
}
