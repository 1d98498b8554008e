import type { DiskBudget } from './disk-budget.ts';
import { countProcesses, findMarked } from './marked-processes.ts';
import type { MemoryGroup } from './memory-group.ts';
import { availableMemory, deletedFiles, memoryOf } from './memory-use.ts';
import { findDescendants } from './process-tree.ts';

/** How often it is looked, in milliseconds, and at which of these looks it is looked closely whatever the quick signs say. */
const lookEveryMs = 100;
const closeLook = 10;

/** What a process, and all it started, may take together. */
export interface TotalLimits {
  readonly processes: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** Which processes are watched, and against what. */
export interface WatchedProcess {
  readonly pid: number;
  readonly mark: string;
  readonly limits: TotalLimits;
  /** The group of the kernel that bounds their memory; undefined where there is none. */
  readonly group: MemoryGroup | undefined;
  /** What is counted of the disk, and where; undefined: nothing. */
  readonly disk: { readonly budget: DiskBudget; readonly places: readonly string[] } | undefined;
}

/** A total that was exceeded. */
export type Exceeded = 'processes' | 'memory' | 'disk';

/**
 * Watches what a process and all it started take together. A look costs next to nothing while the machine as a whole shows no sign of
 * it; what exactly they take is found out when there is one, and from time to time.
 */
export class ProcessWatch {
  readonly #watched: WatchedProcess;
  readonly #end: (why: Exceeded) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #processes = countProcesses();
  readonly #memory = availableMemory();
  readonly #shrunk: number;
  #looks = 0;

  /** `end` is called with the total that was exceeded, again and again while that is so. */
  constructor(watched: WatchedProcess, end: (why: Exceeded) => void) {
    this.#watched = watched;
    this.#end = end;
    this.#shrunk = watched.disk?.budget.shrunkBy(watched.disk.places) ?? 0;
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  /** Stops watching. Gives the total that the kernel ended processes for. */
  close(): Exceeded | undefined {
    clearInterval(this.#timer);
    return (this.#watched.group?.kills() ?? 0) > 0 ? 'memory' : undefined;
  }

  #look(): void {
    this.#looks += 1;
    const { mark, pid, limits, group, disk } = this.#watched;
    const isClose = this.#looks % closeLook === 0;
    const isMany = isClose || countProcesses() - this.#processes > limits.processes / 2;
    if (isMany && findMarked(mark).length > limits.processes) this.#end('processes');
    if (group !== undefined && isClose && group.kills() > 0) this.#end('memory');
    if (group === undefined && this.#memoryShrank(isClose) && memoryOf(this.#members()) > limits.memoryBytes) this.#end('memory');
    if (disk === undefined) return;
    const open = (): number => deletedFiles(findDescendants(pid));
    disk.budget.isExceeded(disk.places, limits.diskBytes, this.#shrunk, open).then(
      (isExceeded) => (isExceeded ? this.#end('disk') : undefined),
      // A disk that cannot be asked is not the command's fault; the next look asks again.
      () => undefined,
    );
  }

  #members(): readonly number[] {
    const { pid, mark } = this.#watched;
    return [...new Set([...findDescendants(pid), ...findMarked(mark)])];
  }

  #memoryShrank(isClose: boolean): boolean {
    const left = availableMemory();
    if (this.#memory === undefined || left === undefined) return false;
    return isClose || this.#memory - left > this.#watched.limits.memoryBytes / 4;
  }
}
