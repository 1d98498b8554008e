import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { LiveScopes } from '../../core/live-scope.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import {
  blockedSandbox,
  brokenSandbox,
  missingSandboxPackage,
  missingSandboxPrograms,
  unsupportedPlatform,
} from './sandbox-unavailable.ts';
import { shellQuote } from './shell-quote.ts';

type Runtime = typeof import('@anthropic-ai/sandbox-runtime');
type Manager = Runtime['SandboxManager'];

/** A command that is to run in a sandbox. */
export interface SandboxedCommand {
  readonly argv: readonly string[];
  readonly policy: SandboxPolicy;
  /** May be read and written, except for what a command has no business with: `.cadre`, profiles, git's hooks. */
  readonly workspace: string;
  /** Further folders of the caller's that may be read and written: a home of its own. */
  readonly writable?: readonly string[];
  /** Further folders of the caller's that may only be read. */
  readonly readable?: readonly string[];
}

/** A command line that runs a command in a sandbox. */
export interface WrappedCommand {
  readonly argv: readonly [string, ...string[]];
  /** To be called once the command is over. */
  release(): void;
}

/** Makes sandboxes. One per process, however many engines there are: the package behind it knows but one. */
export interface Sandbox {
  /**
   * The command line that runs a command in the sandbox. The environment must be handed over by who starts it, and be
   * clean (`cleanEnvironment`): the sandbox hides files and network, not variables.
   */
  wrap(command: SandboxedCommand): Promise<WrappedCommand>;
}

/** Nobody's home can be looked into, nor what other programs keep for a while. */
const hidden = [
  '/root',
  '/home',
  '/Users',
  '/run/user',
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/etc/shadow',
  '/etc/ssh',
  tmpdir(),
];

/** What lies in a workspace and may not be written: what others trust, and what would be run outside the sandbox. */
const guarded = [
  '.cadre',
  'agent_profiles',
  '.env',
  '.npmrc',
  '.mcp.json',
  '.vscode',
  '.idea',
  '.claude',
  '.git/hooks',
  '.git/config',
];

/** Commands that reach all of the network are wrapped where this is set; see `baseConfig`. */
const openNetwork = new AsyncLocalStorage<true>();

let users = 0;

/**
 * The sandbox, made when it is first asked for, and given back when the engine closes.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` with what is missing and the commands that install it
 */
export function openSandbox(
  live: LiveScopes,
  load: () => Promise<Runtime> = () => import('@anthropic-ai/sandbox-runtime'),
): Promise<Sandbox> {
  return live.engine.open('sandbox', async () => {
    users += 1;
    try {
      const manager = await initialize(load);
      const sandbox: Sandbox = { wrap: (command) => wrap(manager, command) };
      await probe(sandbox);
      return { value: sandbox, close: () => giveBack(manager) };
    } catch (thrown) {
      users -= 1;
      throw brokenSandbox(thrown);
    }
  });
}

async function initialize(load: () => Promise<Runtime>): Promise<Manager> {
  const { SandboxManager: manager } = await load().catch((thrown: unknown) => {
    throw missingSandboxPackage(thrown);
  });
  if (!manager.isSupportedPlatform()) throw unsupportedPlatform();
  const { errors } = await manager.checkDependenciesAsync();
  if (errors.length > 0) throw missingSandboxPrograms(errors);
  await manager.initialize(baseConfig);
  return manager;
}

/**
 * Nothing is allowed by what all commands share; each brings its own. The package closes the network unless neither the
 * common configuration nor that of the command speaks of domains, so for a command that may reach everything the common one
 * says nothing of them either.
 */
const baseConfig = {
  network: {
    get allowedDomains(): string[] {
      return openNetwork.getStore() === true ? (undefined as unknown as string[]) : [];
    },
    deniedDomains: [],
  },
  filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
};

async function giveBack(manager: Manager): Promise<void> {
  users -= 1;
  if (users === 0) await manager.reset();
}

async function wrap(manager: Manager, command: SandboxedCommand): Promise<WrappedCommand> {
  const { policy } = command;
  // The way out, when there is one, lies among the temporary files that are hidden.
  const sockets = [manager.getLinuxHttpSocketPath(), manager.getLinuxSocksSocketPath()].filter((socket) => socket !== undefined);
  const filesystem = filesystemOf(command, typeof policy.network === 'string' ? [] : sockets);
  const commandId = randomBytes(18).toString('base64url');
  const line = (config: Parameters<Manager['wrapWithSandbox']>[2]): Promise<string> =>
    manager.wrapWithSandbox(shellQuote(command.argv), '/bin/bash', config, undefined, { commandId });
  const wrapped =
    policy.network === 'all'
      ? await openNetwork.run(true, () => line({ filesystem }))
      : await line({ filesystem, network: { allowedDomains: [], deniedDomains: [] } });
  if (typeof policy.network !== 'string') manager.registerCommandNetworkLists(commandId, { allowedDomains: [...policy.network] });
  return {
    // `exec`: the sandbox is then a child of this process, and is taken down by the kernel when this process is gone.
    argv: ['/bin/bash', '--noprofile', '--norc', '-c', wrapped.startsWith('bwrap ') ? `exec ${wrapped}` : wrapped],
    release: () => {
      manager.unregisterCommandNetworkLists(commandId);
      manager.cleanupAfterCommand();
    },
  };
}

function filesystemOf(
  { policy, workspace, writable = [], readable = [] }: SandboxedCommand,
  sockets: readonly string[],
): {
  readonly denyRead: string[];
  readonly allowRead: string[];
  readonly allowWrite: string[];
  readonly denyWrite: string[];
} {
  const write = [workspace, ...writable, ...policy.write.map(atHome)];
  return {
    denyRead: [...hidden, homedir(), path.join(workspace, '.cadre')].filter((place) => existsSync(place)),
    allowRead: [...write, ...readable, ...policy.read.map(atHome), ...sockets],
    allowWrite: write,
    denyWrite: guarded.map((place) => path.join(workspace, place)).filter((place) => existsSync(place)),
  };
}

function atHome(place: string): string {
  return place === '~' || place.startsWith('~/') ? path.join(homedir(), place.slice(1)) : path.resolve(place);
}

/** Runs a command that does nothing: only that shows whether the system lets a sandbox be made. */
async function probe(sandbox: Sandbox): Promise<void> {
  const { argv, release } = await sandbox.wrap({
    argv: ['/bin/true'],
    policy: { network: 'none', read: [], write: [] },
    workspace: '/nonexistent',
  });
  const [program, ...args] = argv;
  const failure = await new Promise<string | undefined>((resolve) => {
    execFile(program, args, { timeout: 10_000, env: { PATH: process.env['PATH'] ?? '' } }, (error, _stdout, stderr) =>
      resolve(error === null ? undefined : stderr),
    );
  });
  release();
  if (failure !== undefined) throw blockedSandbox(failure);
}
