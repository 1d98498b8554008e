import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { ResourceScopes } from '../../core/tool/resource-scope.ts';
import { toAllowedWrites } from '../../files/guard/allowed-writes.ts';
import { makeFoldersInside } from '../../files/make-folder.ts';
import { rememberAgentPlace } from '../../files/programs/agent-places.ts';
import { findProgram } from '../../files/programs/find-program.ts';
import { runToEnd } from '../../files/programs/start-process.ts';
import { makeTempFolder, removeTempSync } from '../../files/temp-folder.ts';
import { loadGuardedPackage } from './guarded-package.ts';
import { closeKernelFiles } from './kernel-files.ts';
import { withoutKeyrings } from './keyring-filter.ts';
import { heldNames, mountPoints, rememberOpened, sandboxFiles, type SandboxFiles } from './sandbox-files.ts';
import {
  beginCommand,
  bridgeSockets,
  joinRuntime,
  keepForSweep,
  leaveRuntime,
  packagePrograms,
  sandboxHelpers,
  sweepFolder,
  withOpenNetwork,
  type SandboxManager,
  type SandboxPackage,
} from './sandbox-runtime.ts';
import { blockedSandbox, brokenSandbox } from './sandbox-unavailable.ts';
import { createScans, type Scans } from './scans.ts';
import { WorkspaceGuard } from './workspace-guard.ts';
import type { SandboxedCommand, WrappedCommand } from './sandboxed-command.ts';

/**
 * Wraps commands in a sandbox. Most callers want `startProgram`, which also sets limits and ends everything that the command started;
 * this is for callers that start the process by other means.
 */
export interface Sandbox {
  /**
   * Returns the command line that runs a command in the sandbox. It must be started by `startProcess`, with the fixed environment: the
   * sandbox hides files and network, not variables, and variables act on the programs that make it. The command sets its own (`setInside`).
   */
  wrap(command: SandboxedCommand): Promise<WrappedCommand>;
}

/**
 * Returns the sandbox of the engine, made on first use and released when the engine closes.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` naming the missing parts and the commands that install them
 */
export function openSandbox(live: ResourceScopes, load: () => Promise<SandboxPackage> = loadGuardedPackage): Promise<Sandbox> {
  return live.engine.open('sandbox', () => makeSandbox(load));
}

/** Registers what a command may write, before any program is looked up for it: none from there makes its sandbox. */
export function rememberWritable({ workspace, policy }: Pick<SandboxedCommand, 'workspace' | 'policy'>): void {
  rememberAgentPlace(workspace, 'what a sandbox may write');
  rememberOpened(policy);
}

/**
 * Checks that a sandbox can be made here, for programs that must not start without one.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` naming the missing parts and the commands that install them
 */
export async function checkSandbox(): Promise<void> {
  const { close } = await makeSandbox(loadGuardedPackage);
  await close();
}

/** Quotes arguments as one command line for a POSIX shell, whatever they contain. */
function shellQuote(argv: readonly string[]): string {
  return argv.map((argument) => `'${argument.replaceAll("'", `'\\''`)}'`).join(' ');
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
  rememberWritable(command);
  const helpers = sandboxHelpers();
  const bash = findProgram('bash', { in: 'system' }).path;
  // The engine writes there, even while a command runs, and must be the one that creates it.
  makeFoldersInside(command.workspace, ['.cadre']);
  const found = await scans.look(realpathSync(command.workspace), unreadable);
  const allows = toAllowedWrites(allowWrites);
  const { root, before } = found.scanned;
  const held = heldNames(allows, root, before.unmade);
  const guard = new WorkspaceGuard({ ...found.scanned, allows, held });
  // The network access of a command is bound to an id that cannot be guessed.
  const commandId = randomBytes(18).toString('base64url');
  if (isList) manager.registerCommandNetworkLists(commandId, { allowedDomains: [...network] });
  // The sockets of the proxies lie among the hidden temporary files.
  const files = sandboxFiles(command, [...packagePrograms(), ...(isList ? bridgeSockets(manager) : [])], {
    workspace: before,
    secrets: found.secrets,
  });
  const filesystem = { ...files, ...withoutSweep(files, command.workspace) };
  const line = (config: Parameters<SandboxManager['wrapWithSandbox']>[2]): Promise<string> =>
    manager.wrapWithSandbox(shellQuote(command.argv), bash, config, undefined, { commandId });
  const over = beginCommand(mountPoints(filesystem));
  const swept = keepForSweep({
    root,
    before: [...before.autoRun.keys()],
    programs: [...before.programs],
    held: [...held],
    allowWrites: allowWrites ?? [],
  });
  const wrapping =
    network === 'all'
      ? withOpenNetwork(() => line({ filesystem }))
      : line({ filesystem, network: { allowedDomains: [], deniedDomains: [] } });
  // `exec` makes the sandbox a child of this process, so that the kernel ends it when this process is gone.
  const execLine = await wrapping
    .then((wrapped) => sandboxLine(wrapped, helpers?.bwrap))
    .catch((thrown: unknown) => {
      manager.unregisterCommandNetworkLists(commandId);
      over();
      swept();
      throw brokenSandbox(thrown);
    });
  return {
    argv: [bash, '--noprofile', '--norc', '-c', execLine],
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

/** Hides the sweep records from a command whose workspace contains the folder for temporary files. */
function withoutSweep({ denyRead, denyWrite }: SandboxFiles, workspace: string): Pick<SandboxFiles, 'denyRead' | 'denyWrite'> {
  const folder = sweepFolder();
  if (folder === undefined || !folder.startsWith(`${realpathSync(workspace)}${path.sep}`)) return { denyRead, denyWrite };
  return { denyRead: [...denyRead, folder], denyWrite: [...denyWrite, folder] };
}

/** Returns the command line of the package if it is sandboxed; throws when the package, for whatever reason, made no sandbox. */
function sandboxLine(wrapped: string, bwrap: string | undefined): string {
  if (bwrap === undefined) {
    if (wrapped.includes('/usr/bin/sandbox-exec')) return `exec ${wrapped}`;
    throw blockedSandbox('the package made none');
  }
  const program = [bwrap, shellQuote([bwrap])].find((spelled) => wrapped.startsWith(`${spelled} `));
  const folder = sweepFolder();
  if (program === undefined || folder === undefined) throw blockedSandbox('the package made none');
  return withoutKeyrings(closeKernelFiles(wrapped), program, folder);
}

/** Settings of the kernel that name a program which it starts outside of every sandbox. */
const kernelPrograms = ['core_pattern', 'modprobe', 'hotplug', 'poweroff_cmd'].map((name) => `/proc/sys/kernel/${name}`);

/** Runs a command that does nothing but look whether it could leave: the only way to learn whether the system allows a sandbox. */
async function probe(sandbox: Sandbox): Promise<void> {
  const workspace = realpathSync(makeTempFolder('probe'));
  const { argv, release } = await sandbox.wrap({
    argv: [
      findProgram('sh', { in: 'system' }).path,
      '-c',
      'for each; do [ ! -w "$each" ] || { echo "$each can be written in it" >&2; exit 1; }; done',
      'sh',
      ...kernelPrograms,
    ],
    policy: { network: 'none', read: [], write: [] },
    workspace,
  });
  try {
    const failure = await runToEnd(argv, { timeout: 10_000, cwd: '/' });
    if (failure !== undefined) throw blockedSandbox(failure);
  } finally {
    await release();
    removeTempSync(workspace);
  }
}
