import type { MemoryGroup } from './memory-group.ts';
import { memoryOf } from './memory-use.ts';

/** Processes whose memory is bounded. */
export interface BoundedMemory {
  /** Most memory of all of them together, in bytes. */
  readonly bytes: number;
  /** Group that bounds it by the kernel; undefined where there is none. */
  readonly group: MemoryGroup | undefined;
  /** First of the processes, which should be in the group. */
  readonly pid: number;
  /** Returns all of them, the first included. */
  readonly members: () => readonly number[];
}

/**
 * Returns whether processes exceeded their memory, seen from outside them: by the kernel when a group holds them, else by measuring them. A
 * group that the first process could not join bounds nothing.
 */
export function exceedsMemory({ bytes, group, pid, members }: BoundedMemory): boolean {
  if (group !== undefined && group.kills() > 0) return true;
  return group?.holds(pid) !== true && memoryOf(members()) > bytes;
}
