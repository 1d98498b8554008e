import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { CadreError, describeThrown, toErrorRecord } from '../../../core/error.ts';
import { assertAsAgreed, settingsProgram } from '../../../files/programs/agreed-program.ts';
import { setInside } from '../../../files/programs/inside-environment.ts';
import { startDirectly, startProcess } from '../../../files/programs/start-process.ts';
import { rememberWritable } from '../../sandbox/sandbox.ts';
import { seenInSandbox } from '../../sandbox/sandbox-files.ts';
import { childEnvironment } from './child-program.ts';
import { unsupportedPlatform } from '../../sandbox/sandbox-unavailable.ts';
import type { StdioAddress } from '../mcp-settings.ts';
import { MessageLines } from './message-lines.ts';
import { sandboxServer, type SandboxedServer } from './sandboxed-server.ts';
import { onLifeline } from '../../process/lifeline.ts';
import { markVariable } from '../../process/marked-processes.ts';
import { adoptGroup, endGroup } from './process-group.ts';

/** Longest tail of a server's stderr that is kept, in characters. */
const keptStderr = 2_000;

/** Number of its lines in an error message. */
const shownLines = 8;

/** Most messages queued for a server that does not read; one that keeps asking without reading the answers is given up. */
const maxUnread = 1_000;

/** True where servers are started through a shell; elsewhere a server may outlive this process when that is killed. */
const hasShell = process.platform !== 'win32';
/** Time for a server to end by itself after this process has ended. */
const orphanGraceSeconds = 2;

/** Options of a transport over a child process. */
export interface StdioOptions {
  readonly maxMessageBytes: number;
  /** Time for the process to end once asked to, in milliseconds. */
  readonly closeMs: number;
}

/**
 * Communicates with a server that it starts, over the server's standard input and output.
 *
 * Owns: the process and everything it starts, as one group that has ended when `close` resolves; its environment is an allow-list. Does
 * not own: the protocol.
 */
export class StdioTransport implements Transport {
  // The client library checks these two properties to detect that one channel carries everything.
  readonly stderr = null;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #address: StdioAddress;
  readonly #options: StdioOptions;
  readonly #mark = randomBytes(12).toString('hex');
  #child: ChildProcess | undefined;
  #stderr = '';
  #firstNoise: string | undefined;
  #unread = 0;
  #ended: string | undefined;
  #sandboxed: SandboxedServer | undefined;
  #closing: Promise<void> | undefined;

  constructor(address: StdioAddress, options: StdioOptions) {
    this.#address = address;
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /**
   * Describes how the process ended, or output that is not a message, with its last lines on stderr. Empty when there is nothing to
   * report.
   */
  describe(): string {
    const noise =
      this.#firstNoise === undefined ? '' : `it prints lines that are not messages, such as ${JSON.stringify(this.#firstNoise)}`;
    const stderr = stderrTail(this.#stderr.trim());
    const last = stderr === '' ? '' : `it last wrote to stderr: ${stderr}`;
    return [this.#ended ?? '', noise, last].filter((part) => part !== '').join('; ');
  }

  async start(): Promise<void> {
    const { command, cwd, env, inheritEnv, sandbox } = this.#address;
    if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
      throw new CadreError('MCP_UNAVAILABLE', `the folder ${JSON.stringify(cwd)} (cwd) does not exist`, {
        details: { permanent: true },
      });
    const folder = path.resolve(cwd ?? '.');
    if (sandbox !== undefined) rememberWritable({ workspace: folder, policy: sandbox });
    const environment = childEnvironment(env, inheritEnv);
    const inner = hasShell ? setInside(commandLine(this.#address, folder), environment) : undefined;
    if (sandbox !== undefined) {
      if (inner === undefined) throw unsupportedPlatform();
      this.#sandboxed = await sandboxServer(inner.argv, sandbox, folder);
      // Closed while the sandbox was being created: nothing is started then.
      if (this.#ended !== undefined) {
        await this.#releaseSandbox();
        throw new CadreError('MCP_UNAVAILABLE', this.#ended);
      }
    }
    const mark = { [markVariable]: this.#mark };
    const options = { cwd: folder, detached: hasShell, windowsHide: true } as const;
    // In a separate group it can be ended with all it started, and Ctrl-C in the terminal does not reach it first.
    const child =
      inner === undefined
        ? startDirectly(commandLine(this.#address, folder), {
            ...options,
            stdio: ['pipe', 'pipe', 'pipe'],
            env: { ...environment, ...mark },
          })
        : startProcess(onLifeline(this.#sandboxed?.argv ?? inner.argv, orphanGraceSeconds), {
            ...options,
            stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
            variables: { ...inner.carried, ...mark },
          });
    this.#child = child;
    // Each unread message waits on it.
    child.stdin?.setMaxListeners(0);
    this.#listen(child);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(startError(command, error)));
    });
    adoptGroup(child, this.#mark);
    this.#sandboxed?.watch(() => {
      this.#over('it keeps writing files that make other programs run something into its folder (see allow_writes)');
      void this.close();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (input === undefined || input === null || !input.writable || this.#ended !== undefined)
      throw new CadreError('MCP_DISCONNECTED', this.#ended ?? 'the server no longer reads');
    if (input.write(`${JSON.stringify(message)}\n`)) return;
    if (this.#unread === maxUnread) {
      this.#over(`it does not read the answers to what it asks (${maxUnread} wait)`);
      void this.close();
      throw new CadreError('MCP_DISCONNECTED', 'the server no longer reads');
    }
    this.#unread += 1;
    try {
      await drained(input);
    } finally {
      this.#unread -= 1;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    this.#over('it was closed');
    if (child !== undefined) await endGroup(child, this.#options.closeMs, this.#mark);
    await this.#releaseSandbox();
  }

  async #releaseSandbox(): Promise<void> {
    const sandboxed = this.#sandboxed;
    this.#sandboxed = undefined;
    // No call waits for the answer any more: the operator reads what the server left.
    const left = await sandboxed
      ?.release()
      .catch((thrown: unknown) => [`its sandbox was not cleaned up: ${describeThrown(thrown)}`]);
    for (const line of left ?? []) process.emitWarning(`MCP server ${this.#address.command}: ${line}`, 'CadreWarning');
  }

  #listen(child: ChildProcess): void {
    const lines = new MessageLines(
      {
        onMessage: (message) => {
          // The client handles notifications a moment later than answers: an answer must not overtake the progress before it.
          if ('method' in message) this.#deliver(message);
          else setImmediate(() => this.#deliver(message));
        },
        onNoise: (line) => {
          this.#firstNoise ??= line;
        },
        onOverflow: (problem) => {
          this.#over(`it sent ${problem}`);
          void this.close();
        },
      },
      this.#options.maxMessageBytes,
    );
    child.stdout?.on('data', (chunk: Buffer) => {
      if (this.#ended === undefined) lines.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-keptStderr);
    });
    // A broken pipe shows as an ended process, or as an unanswered request.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.on('error', (error) => this.onerror?.(error));
    child.stdout?.once('close', () => this.#outputClosed(child));
    child.once('exit', (code, signal) => {
      // Output from before the end may still arrive; a grandchild that holds the pipe is not waited for.
      const tell = (): void => {
        this.#over(signal === null ? `it ended with exit code ${code ?? 'unknown'}` : `it was ended by ${signal}`);
        void this.close();
      };
      const timer = setTimeout(tell, 200);
      child.once('close', () => {
        clearTimeout(timer);
        tell();
      });
    });
  }

  /**
   * Passes a message to the client. A message that the client cannot even parse, such as an id nested without end, is noise: it affects
   * nothing else.
   */
  #deliver(message: object): void {
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (thrown) {
      this.#firstNoise ??= `a message that cannot be read (${describeThrown(thrown)})`;
    }
  }

  /** Handles a server that closed its output: it will not answer any more, though it may live on. */
  #outputClosed(child: ChildProcess): void {
    setTimeout(() => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      this.#over('it closed its output and went on running');
      void this.close();
    }, 200).unref();
  }

  #over(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.onclose?.();
  }
}

/** Returns the end of stderr; when a long trace follows the line that names the error, that line comes first. */
function stderrTail(text: string): string {
  const lines = text.split('\n');
  const error = lines.findLastIndex((line) => /^\s*(?:\w+: )?(?:Uncaught )?\w*(?:error|exception)\b.*:/i.test(line));
  const isAbove = error >= 0 && error < lines.length - shownLines;
  return [...(isAbove ? [`${lines[error] ?? ''} […]`] : []), ...lines.slice(-(isAbove ? shownLines - 1 : shownLines))].join('\n');
}

function drained(input: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      input.off('drain', settle);
      input.off('close', fail);
      resolve();
    };
    const fail = (): void => {
      input.off('drain', settle);
      reject(new CadreError('MCP_DISCONNECTED', 'the server no longer reads'));
    };
    input.once('drain', settle);
    input.once('close', fail);
  });
}

/**
 * Returns the command line of a server with the absolute path of its program.
 *
 * @throws CadreError `MCP_UNAVAILABLE` when there is none, or when a file of it is not the one that a person agreed to
 */
function commandLine({ command, args, env, sandbox }: StdioAddress, folder: string): readonly [string, ...string[]] {
  const usable = sandbox === undefined ? undefined : seenInSandbox(sandbox, folder);
  try {
    assertAsAgreed({ argv: [command, ...args], folder, env });
    return [settingsProgram(command, folder, { in: 'both', path: env['PATH'], usable }).path, ...args];
  } catch (thrown) {
    const { message } = toErrorRecord(thrown, 'MCP_UNAVAILABLE');
    const words = `there is no program ${JSON.stringify(command)} on the PATH that can be started: ${message}`;
    throw new CadreError('MCP_UNAVAILABLE', words, { details: { permanent: true }, cause: thrown });
  }
}

function startError(command: string, error: Error): CadreError {
  return new CadreError('MCP_UNAVAILABLE', `${JSON.stringify(command)} could not be started: ${error.message}`, {
    details: { permanent: true },
    cause: error,
  });
}
