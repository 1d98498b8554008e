import type { ProcessIdentity, ProcessWatch } from '../../../src/journal/leases/process-watch.ts';

/** Process that a test controls. */
export interface FakeProcess extends ProcessWatch {
  /** Runs its periodic work now. */
  beat(): void;
  isAlive: boolean;
  readonly timers: number;
}

/** Machines that share one time. */
export interface FakeWorld {
  now: number;
  /** Starts a process; `clock` differs where it cannot read the same time. */
  start(machine: string, clock?: string): FakeProcess;
}

/** Creates a world without processes. */
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
