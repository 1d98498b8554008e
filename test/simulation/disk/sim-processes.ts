import type { Look, ProcessIdentity, ProcessWatch } from '../../../src/journal/leases/process-watch.ts';
import type { World } from '../world/world.ts';

/** The processes of the simulated machine as one of them sees them. */
export function simProcesses(world: World, host: number): ProcessWatch {
  const clock = world.time.clockOf(host);
  return {
    self: identityOf(host),
    now: () => clock.monotonic(),
    look: ({ pid }): Look => (world.hosts.some(({ id, state }) => id === pid && state === 'alive') ? 'alive' : 'gone'),
    every: (ms, work) => world.time.every(host, ms, work),
  };
}

function identityOf(pid: number): ProcessIdentity {
  return { machine: 'simulated', clock: 'simulated', pid, birth: String(pid) };
}
