import path from 'node:path';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { ResourceScopes } from '../../core/tool/resource-scope.ts';
import { toAllowedWrites } from '../files/guard/allowed-writes.ts';
import { heldNames, mountPoints, sandboxFiles, type SandboxFiles } from './sandbox-files.ts';
import {
  beginCommand,
  bridgeSockets,
  joinRuntime,
  keepForSweep,
  leaveRuntime,
  packagePrograms,
  sweepFolder,
  withOpenNetwork,
  type SandboxManager,
  type SandboxPackage,
} from './sandbox-runtime.ts';
import { blockedSandbox, brokenSandbox } from './sandbox-unavailable.ts';
import { createScans, type Scans } from './scans.ts';
import { shellQuote } from './shell-quote.ts';
import { WorkspaceGuard } from './workspace-guard.ts';
import type { SandboxedCommand, WrappedCommand } from './sandboxed-command.ts';

/**
 * Makes sandboxes. Most callers want `startProgram`, which also sets limits, cleans the environment's bounds up and ends
 * what is started; this is for those who start the process by other means.
 */
export interface Sandbox {
  /**
   * The command line that runs a command in the sandbox. The environment must be handed over by who starts it, and be
   * clean (`cleanEnvironment`): the sandbox hides files and network, not variables.
   */
  wrap(command: SandboxedCommand): Promise<WrappedCommand>;
}

/**
 * The sandbox, made when it is first asked for, and given back when the engine closes.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` with what is missing and the commands that install it
 */
export function openSandbox(
  live: ResourceScopes,
  load: () => Promise<SandboxPackage> = () => import('@anthropic-ai/sandbox-runtime'),
): Promise<Sandbox> {
  return live.engine.open('sandbox', () => makeSandbox(load));
}

/**
 * Finds out whether a sandbox can be made here, for programs that must not begin without one.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` with what is missing and the commands that install it
 */
export async function checkSandbox(): Promise<void> {
  const { close } = await makeSandbox(() => import('@anthropic-ai/sandbox-runtime'));
  await close();
}

async function makeSandbox(
  load: () => Promise<SandboxPackage>,
): Promise<{ readonly value: Sandbox; readonly close: () => Promise<void> }> {
  try {
    const manager = await joinRuntime(load);
    const scans = createScans();
    const sandbox: Sandbox = { wrap: (command) => wrap(manager, scans, command) };
    await probe(sandbox).catch(async (thrown: unknown) => {
      await leaveRuntime(manager);
      throw thrown;
    });
    return { value: sandbox, close: () => leaveRuntime(manager) };
  } catch (thrown) {
    throw brokenSandbox(thrown);
  }
}

async function wrap(manager: SandboxManager, scans: Scans, command: SandboxedCommand): Promise<WrappedCommand> {
  const { network, allowWrites, unreadable } = command.policy;
  const isList = typeof network !== 'string';
  // The engine keeps things there, also while a command runs, and no one else may make it.
  mkdirSync(path.join(command.workspace, '.cadre'), { recursive: true });
  const found = await scans.look(realpathSync(command.workspace), unreadable);
  const allows = toAllowedWrites(allowWrites);
  const held = heldNames(allows);
  const guard = new WorkspaceGuard({ ...found.scanned, allows, held });
  // What may be reached is bound to an id nobody can guess.
  const commandId = randomBytes(18).toString('base64url');
  if (isList) manager.registerCommandNetworkLists(commandId, { allowedDomains: [...network] });
  // The way out, when there is one, lies among the temporary files that are hidden.
  const files = sandboxFiles(command, [...packagePrograms(), ...(isList ? bridgeSockets(manager) : [])], {
    workspace: found.scanned.before,
    secrets: found.secrets,
  });
  const filesystem = { ...files, ...withoutSweep(files, command.workspace) };
  const line = (config: Parameters<SandboxManager['wrapWithSandbox']>[2]): Promise<string> =>
    manager.wrapWithSandbox(shellQuote(command.argv), '/bin/bash', config, undefined, { commandId });
  const over = beginCommand(mountPoints(filesystem));
  const { root, before } = found.scanned;
  const swept = keepForSweep({ root, before: [...before.autoRun.keys()], held: [...held], allowWrites: allowWrites ?? [] });
  const wrapping =
    network === 'all'
      ? withOpenNetwork(() => line({ filesystem }))
      : line({ filesystem, network: { allowedDomains: [], deniedDomains: [] } });
  const wrapped = await wrapping.catch((thrown: unknown) => {
    manager.unregisterCommandNetworkLists(commandId);
    over();
    swept();
    throw brokenSandbox(thrown);
  });
  return {
    // `exec`: the sandbox is then a child of this process, and is taken down by the kernel when this process is gone.
    argv: ['/bin/bash', '--noprofile', '--norc', '-c', `exec ${sandboxLine(wrapped)}`],
    watch: (end) => guard.watch(end),
    release: async () => {
      manager.unregisterCommandNetworkLists(commandId);
      manager.cleanupAfterCommand();
      over();
      const notes = await guard.finish();
      swept();
      return notes;
    },
  };
}

/** Where temporary files are the workspace, a command must not see what is to be swept of it. */
function withoutSweep({ denyRead, denyWrite }: SandboxFiles, workspace: string): Pick<SandboxFiles, 'denyRead' | 'denyWrite'> {
  const folder = sweepFolder();
  if (folder === undefined || !folder.startsWith(`${realpathSync(workspace)}${path.sep}`)) return { denyRead, denyWrite };
  return { denyRead: [...denyRead, folder], denyWrite: [...denyWrite, folder] };
}

/** What the package gave, if it is a sandbox: it must not be run when the package, for whatever reason, saw no need for one. */
function sandboxLine(wrapped: string): string {
  const isSandbox = process.platform === 'darwin' ? wrapped.includes('sandbox-exec') : /^(\S*\/)?bwrap /.test(wrapped);
  if (!isSandbox) throw blockedSandbox('the package made none');
  return wrapped;
}

/** Runs a command that does nothing: only that shows whether the system lets a sandbox be made. */
async function probe(sandbox: Sandbox): Promise<void> {
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-probe-')));
  const { argv, release } = await sandbox.wrap({
    argv: ['/bin/sh', '-c', 'exit 0'],
    policy: { network: 'none', read: [], write: [] },
    workspace,
  });
  const [program, ...args] = argv;
  const failure = await new Promise<string | undefined>((resolve) => {
    const options = { timeout: 10_000, cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };
    execFile(program, args, options, (error, _stdout, stderr) => resolve(error === null ? undefined : stderr));
  });
  await release();
  rmSync(workspace, { recursive: true, force: true });
  if (failure !== undefined) throw blockedSandbox(failure);
}
