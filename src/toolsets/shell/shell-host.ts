import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { Resource } from '../../core/tool/resource-scope.ts';
import { makeTempFolder, makeTempSubfolder, removeTempSync, writeTempFile } from '../../files/temp-folder.ts';
import type { ToolContext } from '../../core/tool/tool.ts';
import { CapturedOutput } from '../process/captured-output.ts';
import { findProgram } from '../../files/programs/find-program.ts';
import { cleanEnvironment } from '../process/clean-environment.ts';
import type { ProgramSettings } from '../process/program-settings.ts';
import type { ProcessEnd, RunningProcess } from '../process/running-process.ts';
import { createSpillFile } from '../process/spill-file.ts';
import { startProgram } from '../process/start-program.ts';
import { ShellSession, sessionScript } from './shell-session.ts';

/** Maximum number of running commands. */
const maxRunning = 16;
/** Number of ended commands whose output can still be read. */
const keptCommands = 20;
/** Time commands have to end by themselves when their agent is over, in milliseconds; short, since other resources wait to close. */
const closeGraceMs = 500;

/** Command to start. */
export interface ShellCommandRequest {
  readonly command: string;
  readonly session: string;
  readonly stdin?: string;
  readonly timeoutMs?: number;
  readonly background: boolean;
}

/** Started command. */
export interface ShellCommand {
  readonly id: string;
  readonly request: ShellCommandRequest;
  readonly process: RunningProcess;
  /** Resolves when it is over and its session has adopted its state; rejects when it could not be run. */
  readonly ended: Promise<void>;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** Undefined while it runs. */
  end?: ProcessEnd;
  /** True when its session had no state yet. */
  readonly isFirst: boolean;
  /** Number of processes it left running, which were killed. */
  leftRunning: number;
  /** True when its session adopted the state it left; undefined in the background and while it runs. */
  stateKept?: boolean;
  /** Bytes of output read so far, by stream. */
  readonly read: { stdout: number; stderr: number };
}

/** Shells of one agent: its sessions and the commands it started. Closing it ends them all. */
export class ShellHost {
  readonly #settings: ProgramSettings;
  readonly #root = makeTempFolder('shell');
  readonly #sessions = new Map<string, ShellSession>();
  readonly #commands = new Map<string, ShellCommand>();
  #count = 0;
  #closed = false;

  constructor(settings: ProgramSettings) {
    this.#settings = settings;
    for (const folder of ['home', 'commands']) makeTempSubfolder(path.join(this.#root, folder));
  }

  /** Creates a host as a resource. */
  static open(settings: ProgramSettings): Resource<ShellHost> {
    const host = new ShellHost(settings);
    return { value: host, close: () => host.#close() };
  }

  /** Returns the session with this name, created on first use. */
  session(name: string): ShellSession {
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    const session = new ShellSession(name, path.join(this.#root, `session-${this.#sessions.size + 1}`));
    this.#sessions.set(name, session);
    return session;
  }

  /** Names of the sessions. */
  get sessions(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  /** Running commands, and the last ones that are over. */
  get commands(): readonly ShellCommand[] {
    return [...this.#commands.values()];
  }

  /**
   * Returns a command by its id.
   *
   * @throws CadreError `TOOL_FAILED` with the known ids
   */
  command(id: string): ShellCommand {
    const found = this.#commands.get(id);
    if (found !== undefined) return found;
    const known = [...this.#commands.keys()].join(', ');
    throw new CadreError('TOOL_FAILED', `There is no command ${JSON.stringify(id)}. There are: ${known === '' ? 'none' : known}.`);
  }

  /** Starts a command. */
  async start(request: ShellCommandRequest, { workspace, live, agentId }: ToolContext): Promise<ShellCommand> {
    this.#shortenRefusedPrompt();
    this.#count += 1;
    const id = `c${this.#count}`;
    const session = this.session(request.session);
    const isFirst = !session.hasState;
    const nextState = request.background ? undefined : session.nextState();
    const spill = (stream: string) => new CapturedOutput(() => createSpillFile(workspace, spillName(agentId, id, stream)));
    const [stdout, stderr] = [spill('stdout'), spill('stderr')];
    const home = path.join(this.#root, 'home');
    const commandFile = this.#write(id, request.command);
    const { env, ...settings } = this.#settings;
    const process = await startProgram({
      ...settings,
      argv: [
        findProgram('bash', { in: 'system' }).path,
        '--noprofile',
        '--norc',
        '-c',
        sessionScript,
        'bash',
        session.state,
        nextState ?? '',
        commandFile,
      ],
      env: cleanEnvironment({ home, sandboxed: settings.policy !== undefined, given: env }),
      ...(request.stdin === undefined ? {} : { stdinFile: this.#write(`${id}.stdin`, request.stdin) }),
      ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
      workspace,
      temporary: home,
      readable: [path.join(this.#root, 'commands'), ...(session.hasState ? [session.state] : [])],
      writable: nextState === undefined ? [] : [nextState],
      live,
      stdout,
      stderr,
    });
    const ended = process.ended.then((end) => {
      command.end = end;
      for (const name of [id, `${id}.stdin`]) removeTempSync(path.join(this.#root, 'commands', name));
      if (nextState === undefined) return;
      // In a sandbox everything ends with its shell, and only the shell knows which jobs it left.
      if (end.cause === 'exit') command.leftRunning = Math.max(end.leftRunning, session.jobsLeft(nextState));
      command.stateKept = session.adopt(nextState);
    });
    // No caller awaits a command in the background.
    ended.catch(() => undefined);
    const command: ShellCommand = {
      id,
      request,
      process,
      ended,
      stdout,
      stderr,
      isFirst,
      leftRunning: 0,
      read: { stdout: 0, stderr: 0 },
    };
    this.#commands.set(id, command);
    if (this.#closed) await process.stop('stopped', 0);
    return command;
  }

  #write(name: string, text: string): string {
    const file = path.join(this.#root, 'commands', name);
    writeTempFile(file, text);
    return file;
  }

  #shortenRefusedPrompt(): void {
    const running = this.commands.filter(({ end }) => end === undefined);
    if (running.length >= maxRunning) {
      const ids = running.map(({ id }) => id).join(', ');
      throw new CadreError('TOOL_FAILED', `${maxRunning} commands are running (${ids}); stop one before starting another.`);
    }
    const over = this.commands.filter(({ end }) => end !== undefined);
    for (const { id } of over.slice(0, Math.max(0, over.length - keptCommands + 1))) this.#commands.delete(id);
  }

  async #close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.commands.map(({ process }) => process.stop('stopped', closeGraceMs)));
    removeTempSync(this.#root);
  }
}

/** Returns the name of a spill file; the name of the agent is reduced to letters and digits. */
function spillName(agentId: string, id: string, stream: string): string {
  const suffix = Date.now().toString(36);
  return `${agentId.replaceAll(/[^A-Za-z0-9_]/g, '-').slice(0, 60)}-${id}-${suffix}.${stream}.txt`;
}
