import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { missingProgram, searchProgram } from '../../files/programs/find-program.ts';
import { accompanySandboxes, type SandboxCompanion } from './sandbox-companion.ts';
import { makeSweepRecords, type SweepRecord, type SweepRecords } from './sweep-records.ts';
import { sandboxPackage, missingSandboxPackage, missingSandboxPrograms, unsupportedPlatform } from './sandbox-unavailable.ts';

/** Package that makes sandboxes. */
export type SandboxPackage = typeof import('@anthropic-ai/sandbox-runtime');
/** Manager of the package, one per process. */
export type SandboxManager = SandboxPackage['SandboxManager'];

/** Set while wrapping a command with full network access; see `baseConfig`. */
const openNetwork = new AsyncLocalStorage<true>();

/**
 * Configuration shared by all commands; it allows nothing, since each command brings its own. The package closes the network when the
 * shared configuration or that of the command has domains, so for a command with full access the shared one has none either.
 */
const baseConfig = {
  get bwrapPath(): string | undefined {
    return sandboxHelpers()?.bwrap;
  },
  get socatPath(): string | undefined {
    return sandboxHelpers()?.socat;
  },
  get ripgrep(): { readonly command: string } | undefined {
    const rg = sandboxHelpers()?.rg;
    return rg === undefined ? undefined : { command: rg };
  },
  network: {
    get allowedDomains(): string[] {
      return openNetwork.getStore() === true ? (undefined as unknown as string[]) : [];
    },
    deniedDomains: [],
  },
  filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
};

/** Programs that the package starts on Linux, by absolute path. */
interface SandboxHelpers {
  readonly bwrap: string;
  readonly socat: string;
  readonly rg: string;
}

/**
 * Finds the programs that make a sandbox, outside everything that an agent can write; undefined on systems that need none. Each call
 * checks that they are the ones first found.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` naming those that are missing or refused
 */
export function sandboxHelpers(): SandboxHelpers | undefined {
  if (process.platform !== 'linux') return undefined;
  const problems: string[] = [];
  const find = (name: string, title: string): string => {
    const search = searchProgram(name);
    if (search.found === undefined) problems.push(missingProgram(title, search));
    return search.found?.path ?? '';
  };
  const helpers = { bwrap: find('bwrap', 'bubblewrap (bwrap)'), socat: find('socat', 'socat'), rg: find('rg', 'ripgrep (rg)') };
  if (problems.length > 0) throw missingSandboxPrograms(problems);
  return helpers;
}

/** Runs work with no network domains in the shared configuration. */
export function withOpenNetwork<T>(work: () => T): T {
  return openNetwork.run(true, work);
}

/**
 * Returns the folder of the program that the package starts inside each sandbox. It must be readable there even when the package lies in
 * a hidden place: a project in a home folder, or among temporary files.
 */
export function packagePrograms(): readonly string[] {
  const manifest = findPackageJSON(sandboxPackage, import.meta.url);
  const folder = manifest === undefined ? undefined : path.join(path.dirname(manifest), 'vendor');
  return folder !== undefined && existsSync(folder) ? [realpathSync(folder)] : [];
}

/** Maximum number of attempts to start the package on a machine too busy for its time limit. */
const maxStarts = 10;

// Not state of a run: number of users of the sandbox of this process.
let users = 0;
// Not state of a run: cleans up when this process is killed.
let companion: SandboxCompanion | undefined;
// Not state of a run: tells the companion what to sweep.
let records: SweepRecords | undefined;
// Not state of a run: number of commands in a sandbox of this process.
let commands = 0;
// Not state of a run: settles when the last shutdown of the package is done.
let resetting: Promise<void> = Promise.resolve();

/**
 * Starts the package for one more user; each user must call `leaveRuntime`.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` naming the missing parts and the commands that install them
 */
export async function joinRuntime(load: () => Promise<SandboxPackage>): Promise<SandboxManager> {
  const { SandboxManager: manager } = await load().catch((thrown: unknown) => {
    throw missingSandboxPackage(thrown);
  });
  if (!manager.isSupportedPlatform()) throw unsupportedPlatform();
  sandboxHelpers();
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
 * Starts the package. It waits only 0.6 s for its programs to listen, which a busy machine exceeds; it then cleans up, and can be started
 * again.
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

/** Ends one use of the package; the last user shuts it down. */
export async function leaveRuntime(manager: SandboxManager): Promise<void> {
  users -= 1;
  if (users === 0) resetting = shutDown(manager);
  await resetting;
}

/** Returns the sockets of the proxies through which sandboxed commands reach the network. */
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

/** Keeps a sweep record of a command, in case this process is killed, until the returned function is called (after the final scan). */
export function keepForSweep(record: SweepRecord): () => void {
  return records?.keep(record) ?? (() => undefined);
}

/** Returns the folder with the sweep records, which no command may read or write. */
export function sweepFolder(): string | undefined {
  return records?.folder;
}

/**
 * Registers the start of a command for which the package creates these empty places to mount on. Returns the function that registers its
 * end; the package removes the places with the last command.
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
 * Runs work and removes the SIGINT and SIGTERM handlers that the package installs. A process with such a handler no longer ends on these
 * signals, which a tool must not decide; engines that close shut the package down anyway.
 */
async function withoutSignalHandlers(work: () => Promise<void>): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const before = signals.map((signal) => new Set<unknown>(process.listeners(signal)));
  await work();
  for (const [index, signal] of signals.entries())
    for (const listener of process.listeners(signal))
      if (before[index]?.has(listener) === false && listener.name === 'cleanupHandler') process.off(signal, listener);
}
