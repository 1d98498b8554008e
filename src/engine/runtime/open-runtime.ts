import { nanoid } from 'nanoid';
import { CadreError } from '../../core/error.ts';
import type { Journal, SharedJournal } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import type { Runtime, RuntimeWorker } from '../../core/runtime.ts';
import type { EngineParts } from '../engine-parts.ts';
import { Resources } from '../effects/resources.ts';
import { createContentCache } from '../recovery/content-cache.ts';
import type { Input } from '../run/input.ts';
import { assertClock } from './assert-clock.ts';
import { RemoteRun } from './remote-run.ts';
import type { RemoteRuns } from './remote-runs.ts';
import { RunLooks } from './run-looks.ts';
import { RunWorks } from './run-works.ts';
import { encodeInput } from './wire-input.ts';

/** Milliseconds before a question that did not arrive is sent again. */
const sendAgainMs = 1_000;

/** Connects an engine to a runtime. Throws RUNTIME_FAILED, or OPTION_INVALID for a journal that engines elsewhere cannot use. */
export async function openRuntime(runtime: Runtime, parts: EngineParts): Promise<RemoteRuns> {
  const { journal } = parts;
  if (typeof runtime.connect !== 'function' || typeof runtime.name !== 'string')
    throw new CadreError(
      'OPTION_INVALID',
      'createEngine: runtime must be one, such as restateRuntime({ ingress }) of cadre/restate makes',
    );
  const shared = sharedPart(journal, runtime);
  const link = await runtime.connect(shared);
  const holder = runtime.name;
  const workers = new Set<RuntimeWorker>();
  let isClosed = false;
  return {
    acquire: async (runId) => {
      const { isInterrupted: _, ...lease } = await shared.acquire(runId, holder);
      return lease;
    },
    drive: (state, lease, ports) => {
      if (Object.keys(ports.context).length === 0) return new RemoteRun(state, lease, ports, link);
      throw new CadreError(
        'OPTION_INVALID',
        `context: its values stay in this process, and run ${state.meta.runId} goes on workers; give them to the tools there, or pass JSON as 'request'`,
      );
    },
    work: async () => {
      if (isClosed) throw new CadreError('ENGINE_CLOSED', 'this engine was closed; create a new one');
      await assertClock(shared, parts.clock, journal.location);
      const { secrets } = parts.runtime.decision.env;
      const resources = new Resources('this worker');
      const submit = (runId: RunId, input: Input, id = nanoid()): void => {
        const delivery = { id, input: encodeInput(input, secrets) };
        const send = (): void =>
          void link.send(runId, delivery).catch(() => {
            // A note that is lost is none the run needs; a model call waits for the answer to its question, and what was used counts.
            if ((input.kind === 'attempt' || input.kind === 'charge') && !isClosed)
              parts.clock.setTimer(sendAgainMs, send, { background: true });
          });
        send();
      };
      const works = new RunWorks({ parts, shared, holder, content: createContentCache(journal), resources, submit });
      const looks = new RunLooks({ clock: parts.clock, shared, holder, link, unfinished: parts.unfinished });
      const served = await link.serve(works, looks.afterLoss);
      looks.begin();
      const worker = closing(served, works, resources, looks);
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

function closing(worker: RuntimeWorker, works: RunWorks, resources: Resources, looks: RunLooks): RuntimeWorker {
  let closed: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    looks.stop();
    const left = works.close(graceMs);
    await worker.close(graceMs);
    await left;
    await resources.closeAll();
  };
  return { address: worker.address, close: (graceMs) => (closed ??= close(graceMs)) };
}
