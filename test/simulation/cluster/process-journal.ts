import { CadreError } from '../../../src/core/error.ts';
import type { Journal, SharedJournal } from '../../../src/core/events/journal.ts';
import type { ClusterWorld } from './cluster-world.ts';
import { goesOnLater } from './given-up-attempt.ts';
import type { SimProcess } from './sim-process.ts';

/**
 * The journal as one process reaches it over a network: each call takes its turn, may fail, and may succeed without the process learning of
 * it; a process may die before or after each.
 */
export function processJournal(world: ClusterWorld, process: SimProcess): Journal {
  const { journal, faults } = world;
  const { shared } = journal;
  if (shared === undefined) throw new Error('the journal in memory is not shared');
  const failed = (): CadreError => new CadreError('STORE_FAILED', 'the simulated journal failed');
  const read = async <T>(what: string, work: () => T): Promise<Awaited<T>> => {
    await goesOnLater(what);
    await world.turn(process, what);
    if (faults.strikes('journal does not read', 0.03)) throw failed();
    const result = await work();
    await goesOnLater(what);
    return result;
  };
  const write = async <T>(what: string, work: () => T): Promise<Awaited<T>> => {
    await goesOnLater(what);
    await world.turn(process, what);
    if (world.moment(process)) return await new Promise(() => undefined);
    if (faults.strikes('journal refuses', 0.02)) throw failed();
    const result = await work();
    if (world.moment(process)) return await new Promise(() => undefined);
    if (faults.strikes('journal forgets to say', 0.02)) throw failed();
    if (world.order.chance(0.3)) await world.turn(process, 'answer');
    return result;
  };
  const sharedView: SharedJournal = {
    id: () => shared.id(),
    runtime: (mine, options) => shared.runtime(mine, options),
    acquire: (runId, holder) => read('acquire', () => shared.acquire(runId, holder)),
    stalled: (holder, at) => read('stalled', () => shared.stalled(holder, at)),
    hasApplied: (runId, input) => read('has applied', () => shared.hasApplied(runId, input)),
    mark: (runId, name) => write('mark', () => shared.mark(runId, name)),
    forget: (before) => shared.forget(before),
  };
  return {
    location: 'simulated',
    acquire: async (runId, owner) => {
      const lease = await read('acquire', () => journal.acquire(runId, owner));
      process.leases.add(lease);
      return lease;
    },
    holds: (lease) => read('holds', () => journal.holds?.(lease) ?? true),
    release: (lease) => (process.state === 'dead' ? undefined : journal.release(lease)),
    append: (lease, commit) => write('append', () => journal.append(lease, commit)),
    read: (runId, options) => read('read', () => journal.read(runId, options)),
    content: (hash) => journal.content(hash),
    runs: (filter) => read('runs', () => journal.runs(filter)),
    watch: (runId, wake) =>
      journal.watch?.(runId, () => {
        if (process.state !== 'dead' && !faults.strikes('news lost', 0.2)) world.scheduler.add(process.id, 'news', wake);
      }) ?? ((): void => undefined),
    shared: sharedView,
    close: () => undefined,
  };
}
