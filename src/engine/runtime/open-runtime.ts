import { nanoid } from 'nanoid';
import { CadreError } from '../../core/error.ts';
import type { Journal, SharedJournal } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import type { Runtime, RuntimeWorker } from '../../core/runtime.ts';
import type { EngineParts } from '../engine-parts.ts';
import { Resources } from '../effects/resources.ts';
import { createContentCache } from '../recovery/content-cache.ts';
import type { Input } from '../run/input.ts';
import { RemoteRun } from './remote-run.ts';
import type { RemoteRuns } from './remote-runs.ts';
import { RunWorks } from './run-works.ts';
import { encodeInput } from './wire-input.ts';

/** Connects an engine to a runtime. Throws RUNTIME_FAILED, or OPTION_INVALID for a journal that engines elsewhere cannot use. */
export async function openRuntime(runtime: Runtime, parts: EngineParts): Promise<RemoteRuns> {
  const { journal } = parts;
  const shared = sharedPart(journal, runtime);
  const link = await runtime.connect(shared);
  const holder = runtime.name;
  const taken = new Set<RunId>();
  const workers = new Set<RuntimeWorker>();
  let isClosed = false;
  return {
    acquire: async (runId) => {
      const { isNew, ...lease } = await shared.acquire(runId, holder);
      if (isNew) taken.add(runId);
      return lease;
    },
    drive: (state, lease, ports) =>
      new RemoteRun(state, lease, ports, { link, isTaken: taken.delete(state.meta.runId), newId: () => nanoid() }),
    work: async () => {
      if (isClosed) throw new CadreError('ENGINE_CLOSED', 'this engine was closed; create a new one');
      const { secrets } = parts.runtime.decision.env;
      const resources = new Resources('this worker');
      const submit = (runId: RunId, input: Input): void => {
        // A note that is lost is none the run needs.
        void link.send(runId, { id: nanoid(), input: encodeInput(input, secrets) }).catch(() => undefined);
      };
      const works = new RunWorks({ parts, shared, holder, content: createContentCache(journal), resources, submit });
      const worker = closing(await link.serve(works), works, resources);
      workers.add(worker);
      return worker;
    },
    close: async (graceMs) => {
      isClosed = true;
      await Promise.all([...workers].map((worker) => worker.close(graceMs)));
    },
  };
}

function sharedPart({ shared, location }: Journal, runtime: Runtime): SharedJournal {
  if (shared !== undefined) return shared;
  throw new CadreError(
    'OPTION_INVALID',
    `the runtime at ${runtime.location} needs a journal that all workers reach; ${location} is none. Use createPostgresJournal of cadre/postgres`,
  );
}

function closing(worker: RuntimeWorker, works: RunWorks, resources: Resources): RuntimeWorker {
  let closed: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    const left = works.close(graceMs);
    await worker.close(graceMs);
    await left;
    await resources.closeAll();
  };
  return { address: worker.address, close: (graceMs) => (closed ??= close(graceMs)) };
}
