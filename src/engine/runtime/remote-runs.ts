import { CadreError } from '../../core/error.ts';
import type { Lease } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import type { RuntimeWorker } from '../../core/runtime.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ActorPorts } from '../run/actor-ports.ts';
import type { RunDriver } from '../run/run-driver.ts';

/** How an engine's runs are advanced by a runtime instead of in its own process. */
export interface RemoteRuns {
  /** Takes the lease of a run for the runtime. */
  acquire(runId: RunId): Promise<Lease>;
  /** Returns what steers a run from here. */
  drive(state: RunContext, lease: Lease, ports: ActorPorts): RunDriver;
  /** Begins to apply inputs and run effects for the runtime in this process. */
  work(): Promise<RuntimeWorker>;
  /** Ends that; works in progress get `graceMs` to end. */
  close(graceMs: number): Promise<void>;
}

/** Begins to work for a runtime. Throws OPTION_INVALID when the engine has none. */
export async function workOf(remote: RemoteRuns | undefined): Promise<RuntimeWorker> {
  if (remote !== undefined) return await remote.work();
  throw new CadreError('OPTION_INVALID', 'engine.work: the engine has no runtime; create it with one: createEngine({ runtime })');
}
