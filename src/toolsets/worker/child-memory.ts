import { exceedsMemory, type BoundedMemory } from '../process/memory-bound.ts';
import type { createMemoryGroup } from '../process/memory-group.ts';

/** Pause between two measurements of a child that no group holds, in milliseconds. */
const measureEveryMs = 20;

/** Bounds the memory of a child process, from outside it. Measures nothing where there is neither a group nor `/proc`. */
export class ChildMemory {
  readonly #bounded: BoundedMemory;
  readonly #timer: NodeJS.Timeout | undefined;
  #isExceeded = false;

  /** `end` is called when a child that no group holds exceeds its memory; the kernel kills one in a group. */
  constructor(pid: number, bytes: number, createGroup: typeof createMemoryGroup, end: () => void) {
    const group = createGroup(bytes);
    this.#bounded = { bytes, group, pid, members: () => [pid] };
    group?.add(pid);
    if (group?.holds(pid) !== true) this.#timer = setInterval(() => this.#measure() && end(), measureEveryMs);
  }

  /** Ends the measuring after the child is gone. Returns true when it exceeded its memory. */
  close(): boolean {
    clearInterval(this.#timer);
    this.#isExceeded ||= (this.#bounded.group?.kills() ?? 0) > 0;
    this.#bounded.group?.remove();
    return this.#isExceeded;
  }

  #measure(): boolean {
    this.#isExceeded ||= exceedsMemory(this.#bounded);
    return this.#isExceeded;
  }
}
