import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Miniature container: separate process ids, and another host name when one is given. */
export interface Namespace {
  readonly pid: boolean;
  readonly host?: string;
}

/** Reason why processes cannot get separate namespaces here; undefined where they can. */
export const whyNoNamespaces = reason();

function reason(): string | undefined {
  const tried = spawnSync('unshare', ['--uts', '--pid', '--fork', '--mount-proc', 'hostname', 'elsewhere'], { encoding: 'utf8' });
  if (tried.error !== undefined) return `unshare cannot be run: ${tried.error.message}`;
  return tried.status === 0 ? undefined : `unshare is not permitted: ${tried.stderr.trim()}`;
}

/** Program that runs in separate namespaces. */
export class ContainedProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor({ pid, host }: Namespace, script: string, args: readonly string[]) {
    const own = [
      ...(pid ? ['--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'] : []),
      ...(host === undefined ? [] : ['--uts']),
    ];
    const shell = host === undefined ? 'exec "$0" "$@"' : `hostname ${host}; exec "$0" "$@"`;
    this.#child = spawn('unshare', [...own, 'sh', '-c', shell, process.execPath, script, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the process has no output');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** The next line it says; `ended` when it has. */
  async line(): Promise<string> {
    const next = await this.#lines.next();
    return next.done === true ? 'ended' : next.value;
  }

  /** Hands it a line and waits for what it says to it. */
  async ask(line: string): Promise<string> {
    this.#child.stdin?.write(`${line}\n`);
    return await this.line();
  }

  /** Sends a signal to the program itself, by its id out here. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    const outer = this.#child.pid ?? 0;
    const inner = readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').trim();
    process.kill(inner === '' ? outer : Number(inner), name);
  }

  /** Kills it; it cannot write or do anything afterwards. */
  async kill(): Promise<void> {
    const isOver = this.#child.exitCode !== null || this.#child.signalCode !== null;
    const exited = isOver ? undefined : once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    while ((await this.line()) !== 'ended');
    await exited;
  }
}
