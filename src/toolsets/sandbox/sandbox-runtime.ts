import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { accompanySandboxes, type SandboxCompanion } from './sandbox-companion.ts';
import { makeSweepRecords, type SweepRecord, type SweepRecords } from './sweep-records.ts';
import { missingSandboxPackage, missingSandboxPrograms, unsupportedPlatform } from './sandbox-unavailable.ts';

/** The package that makes sandboxes. */
export type SandboxPackage = typeof import('@anthropic-ai/sandbox-runtime');
/** What it does it with: one for the whole process. */
export type SandboxManager = SandboxPackage['SandboxManager'];

/** Commands that reach all of the network are wrapped where this is set; see `baseConfig`. */
const openNetwork = new AsyncLocalStorage<true>();

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

/** Does something as if nothing were said about the network. */
export function withOpenNetwork<T>(work: () => T): T {
  return openNetwork.run(true, work);
}

/**
 * Where the package keeps the program that it starts inside each sandbox. It must be seen there, also when the package lies in
 * a place that is hidden: a project in somebody's home, or among temporary files.
 */
export function packagePrograms(): readonly string[] {
  const manifest = findPackageJSON('@anthropic-ai/sandbox-runtime', import.meta.url);
  const folder = manifest === undefined ? undefined : path.join(path.dirname(manifest), 'vendor');
  return folder !== undefined && existsSync(folder) ? [realpathSync(folder)] : [];
}

/** How often the package is asked to start where the machine is too busy for its patience. */
const maxStarts = 10;

// Not state of a run: who uses the sandbox of this process.
let users = 0;
// Not state of a run: what cleans up where this process is killed.
let companion: SandboxCompanion | undefined;
// Not state of a run: what it is to sweep.
let records: SweepRecords | undefined;
// Not state of a run: how many commands are in a sandbox of this process.
let commands = 0;
// Not state of a run: what the sandbox of this process is doing.
let resetting: Promise<void> = Promise.resolve();

/**
 * Starts the package for one more user; each gives it back with `leaveRuntime`.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` with what is missing and the commands that install it
 */
export async function joinRuntime(load: () => Promise<SandboxPackage>): Promise<SandboxManager> {
  const { SandboxManager: manager } = await load().catch((thrown: unknown) => {
    throw missingSandboxPackage(thrown);
  });
  if (!manager.isSupportedPlatform()) throw unsupportedPlatform();
  const { errors } = await manager.checkDependenciesAsync();
  if (errors.length > 0) throw missingSandboxPrograms(errors);
  await resetting;
  users += 1;
  try {
    await withoutSignalHandlers(() => startPackage(manager));
    records ??= makeSweepRecords();
    companion ??= accompanySandboxes(bridgeSockets(manager), records.folder);
  } catch (thrown) {
    await leaveRuntime(manager);
    throw thrown;
  }
  return manager;
}

/**
 * The package waits 0.6 s for the programs it starts to listen, which a busy machine exceeds; it has then cleaned up, and may be
 * asked again.
 */
async function startPackage(manager: SandboxManager): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      await manager.initialize(baseConfig);
      return;
    } catch (thrown) {
      const wasSlow = thrown instanceof Error && thrown.message.startsWith('Failed to create bridge sockets');
      if (!wasSlow || tries === maxStarts) throw thrown;
    }
}

/** Gives the package back; it is shut down with its last user. */
export async function leaveRuntime(manager: SandboxManager): Promise<void> {
  users -= 1;
  if (users === 0) resetting = shutDown(manager);
  await resetting;
}

/** The sockets by which commands in a sandbox reach what they are allowed to. */
export function bridgeSockets(manager: SandboxManager): readonly string[] {
  return [manager.getLinuxHttpSocketPath(), manager.getLinuxSocksSocketPath()].filter((socket) => socket !== undefined);
}

async function shutDown(manager: SandboxManager): Promise<void> {
  const last = companion;
  const kept = records;
  companion = undefined;
  records = undefined;
  await manager.reset();
  kept?.remove();
  last?.leave();
}

/** Keeps what is to be swept of a command's workspace if this process is killed, until the returned function is called: its workspace is looked through by then. */
export function keepForSweep(record: SweepRecord): () => void {
  return records?.keep(record) ?? (() => undefined);
}

/** The folder that no command may write into, or look into: what is to be swept of its workspace stands there. */
export function sweepFolder(): string | undefined {
  return records?.folder;
}

/**
 * Says that a command begins for which the package makes these places, empty, to mount upon. Returns what says that it is over:
 * the package removes the places with the last command.
 */
export function beginCommand(places: readonly string[]): () => void {
  commands += 1;
  companion?.note(places);
  return () => {
    commands -= 1;
    if (commands === 0) companion?.forget();
  };
}

/**
 * The package listens for SIGINT and SIGTERM to shut down. A process with such a listener no longer ends by these signals,
 * which is not for a tool to decide; and engines that close shut it down anyway.
 */
async function withoutSignalHandlers(work: () => Promise<void>): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const before = signals.map((signal) => new Set<unknown>(process.listeners(signal)));
  await work();
  for (const [index, signal] of signals.entries())
    for (const listener of process.listeners(signal))
      if (before[index]?.has(listener) === false && listener.name === 'cleanupHandler') process.off(signal, listener);
}
