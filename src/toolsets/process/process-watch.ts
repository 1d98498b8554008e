import type { DiskBudget } from './disk-budget.ts';
import { countProcesses, findDescendants, findMarked } from './marked-processes.ts';
import { exceedsMemory } from './memory-bound.ts';
import type { MemoryGroup } from './memory-group.ts';
import { availableMemory, deletedFiles } from './memory-use.ts';

/** Pause between checks, in milliseconds, and how many checks until a thorough one, whatever the quick checks show. */
const checkEveryMs = 100;
const thoroughCheck = 10;

/** Limits of a process and everything it started, together. */
export interface TotalLimits {
  readonly processes: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** Process to watch, and its limits. */
export interface WatchedProcess {
  readonly pid: number;
  readonly mark: string;
  readonly limits: TotalLimits;
  /** Control group that limits their memory; undefined where there is none. */
  readonly group: MemoryGroup | undefined;
  /** Budget of disk space, and the places it covers; undefined for no limit. */
  readonly disk: { readonly budget: DiskBudget; readonly places: readonly string[] } | undefined;
}

/** Limit that was exceeded. */
export type Exceeded = 'processes' | 'memory' | 'disk';

/**
 * Watches the resources that a process and everything it started use together. A quick check of the machine as a whole costs next to
 * nothing; the exact use is measured when a quick check is suspicious, and from time to time.
 */
export class ProcessWatch {
  readonly #watched: WatchedProcess;
  readonly #end: (why: Exceeded) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #processes = countProcesses();
  readonly #memory = availableMemory();
  readonly #shrunk: number;
  #checks = 0;

  /** `end` is called with the exceeded limit, repeatedly while it is exceeded. */
  constructor(watched: WatchedProcess, end: (why: Exceeded) => void) {
    this.#watched = watched;
    this.#end = end;
    this.#shrunk = watched.disk?.budget.shrunkBy(watched.disk.places) ?? 0;
    this.#timer = setInterval(() => this.#check(), checkEveryMs);
  }

  /** Stops watching. Returns the limit for which the kernel killed processes, if any. */
  close(): Exceeded | undefined {
    clearInterval(this.#timer);
    return (this.#watched.group?.kills() ?? 0) > 0 ? 'memory' : undefined;
  }

  #check(): void {
    this.#checks += 1;
    const { mark, pid, limits, group, disk } = this.#watched;
    const isThorough = this.#checks % thoroughCheck === 0;
    const isMany = isThorough || countProcesses() - this.#processes > limits.processes / 2;
    if (isMany && findMarked(mark).length > limits.processes) this.#end('processes');
    const memory = { bytes: limits.memoryBytes, group, pid, members: () => this.#members() };
    if (this.#memoryShrank(isThorough) && exceedsMemory(memory)) this.#end('memory');
    if (disk === undefined) return;
    const openBytes = (): number => deletedFiles(findDescendants(pid));
    disk.budget.isExceeded({ places: disk.places, limit: limits.diskBytes, shrunkAtStart: this.#shrunk, openBytes }).then(
      (isExceeded) => (isExceeded ? this.#end('disk') : undefined),
      // An unreadable disk is not the fault of the command; the next check tries again.
      () => undefined,
    );
  }

  #members(): readonly number[] {
    const { pid, mark } = this.#watched;
    return [...new Set([...findDescendants(pid), ...findMarked(mark)])];
  }

  #memoryShrank(isThorough: boolean): boolean {
    const left = availableMemory();
    if (this.#memory === undefined || left === undefined) return false;
    return isThorough || this.#memory - left > this.#watched.limits.memoryBytes / 4;
  }
}
