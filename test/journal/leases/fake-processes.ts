import type { ProcessIdentity, ProcessWatch } from '../../../src/journal/leases/process-watch.ts';

/** A process of a world that a test moves by hand. */
export interface FakeProcess extends ProcessWatch {
  /** What it does every so often happens now. */
  beat(): void;
  isAlive: boolean;
  readonly timers: number;
}

/** A world of machines with one time. */
export interface FakeWorld {
  now: number;
  /** Starts a process; `clock` is another one where it cannot read the same time. */
  start(machine: string, clock?: string): FakeProcess;
}

/** Makes such a world. */
export function fakeWorld(): FakeWorld {
  const processes: { readonly identity: ProcessIdentity; readonly process: FakeProcess }[] = [];
  const world: FakeWorld = {
    now: 1_000_000,
    start: (machine, clock = 'one') => {
      const identity = { machine, clock, pid: processes.length + 1, birth: 'then' };
      const work = new Set<() => void>();
      const process: FakeProcess = {
        self: identity,
        isAlive: true,
        get timers() {
          return work.size;
        },
        now: () => world.now,
        look: (other) => {
          if (other.machine !== machine) return 'unseen';
          const found = processes.find(({ identity: { pid } }) => pid === other.pid);
          return found?.process.isAlive === true && found.identity.birth === other.birth ? 'alive' : 'gone';
        },
        every: (_ms, once) => {
          const own = (): void => once();
          work.add(own);
          return () => work.delete(own);
        },
        beat: () => {
          for (const once of work) once();
        },
      };
      processes.push({ identity, process });
      return process;
    },
  };
  return world;
}
