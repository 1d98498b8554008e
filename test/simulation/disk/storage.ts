import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { RunId } from '../../../src/core/ids.ts';
import type { Journal } from '../../../src/core/events/journal.ts';
import type { Host } from '../process/host.ts';

/** Medium that a store writes to, with its contents after a crash. The stores themselves are the shipped ones. */
export interface Storage {
  /** The store of a process, opened as a process does that was just started. */
  open(host: Host): Journal;
  /** Everything that is stored of a run, as a process reads it that was just started; nothing when there is no such run. */
  read(runId: RunId): readonly CadreEvent[];
  /** True when the store would give a run's lease to a rival process. */
  givesTo(runId: RunId): boolean;
  /** A process was killed, or is taken for dead: others may have what it held. `isAlone`: no other process has the store open. */
  abandon(host: Host, isAlone: boolean): void;
  /** All processes are gone, and whatever was not synced may be gone, too. */
  cutPower(): void;
  /** Nothing can be written any more, as long as that is true. */
  isFull: boolean;
  /** Makes the next write of a process fail, without writing any part of it. */
  refuseNext(host: Host): void;
  /** Every commit outlives a power cut once it is acknowledged. */
  readonly syncsAlways: boolean;
  /** Ends all that is left open. */
  dispose(): void;
}

/** The failure of a disk that has nothing to do with SQLite. */
export function diskError(message: string): Error {
  return Object.assign(new Error(message), { code: 'EIO' });
}
