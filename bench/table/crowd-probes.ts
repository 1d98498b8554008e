import path from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { leadModel } from '../fan-out.ts';
import { floorLoop, plainModel } from '../floor.ts';
import type { Probe } from './probe.ts';
import { openRows } from './turn-probes.ts';
import { watchLoop } from './watch-loop.ts';

const items = 100_000;
/** Tool turns of each agent or run before its answer. */
const turnsEach = 2;

/** Measures sub-agents of three turns each, dispatched in one call. */
function fanOutProbe(agents: number): Probe {
  const worker = plainModel({ turns: turnsEach, delayMs: 10 });
  return {
    floor: () => watchLoop(() => Promise.all(Array.from({ length: agents }, () => floorLoop(worker)))),
    engine: async (open) => {
      const engine = await open({ bench: worker, lead: leadModel(agents) }, 'memory');
      const figures = await watchLoop(async () => {
        const run = await engine.launch({ profile: 'Lead', input: 'Go.' });
        const { status } = await run.result;
        if (status !== 'completed' || run.state.agents.size !== agents + 1)
          throw new Error(`the fan-out ended ${status} with ${run.state.agents.size} agents`);
      });
      await engine.close();
      return figures;
    },
  };
}

/** Measures runs launched together. */
function launchesProbe(runs: number, store: 'memory' | 'sqlite'): Probe {
  const model = plainModel({ turns: turnsEach, delayMs: 10 });
  return {
    floor: async (folder) => {
      const rows = store === 'memory' ? undefined : openRows(path.join(folder, 'floor.db'), 'NORMAL');
      const options = rows === undefined ? {} : { onTurn: rows.insert };
      const figures = await watchLoop(() => Promise.all(Array.from({ length: runs }, () => floorLoop(model, options))));
      rows?.close();
      return figures;
    },
    engine: async (open, folder) => {
      const engine = await open({ bench: model }, store === 'memory' ? 'memory' : path.join(folder, 'engine.db'));
      const figures = await watchLoop(() =>
        Promise.all(
          Array.from({ length: runs }, async () => {
            const { status } = await (await engine.launch({ profile: 'Adder', input: 'Add.' })).result;
            if (status !== 'completed') throw new Error(`one of ${runs} runs ended ${status}`);
          }),
        ),
      );
      await engine.close();
      return figures;
    },
  };
}

/** Measures how long an agent takes to read an inbox that filled up during its first model call. */
const inboxProbe: Probe = {
  engine: async (open) => {
    const gate = Promise.withResolvers<void>();
    let isEmpty = (): boolean => false;
    const engine = await open({ bench: readingModel(gate.promise, () => isEmpty()) }, 'memory');
    const run = await engine.launch({ profile: 'Adder', input: 'Add.' });
    isEmpty = () => waitingIn([...run.state.agents.values()][0]?.inbox) === 0;
    const posted = await watchLoop(async () => {
      for (let index = 0; index < items; index += 1_000)
        await Promise.all(Array.from({ length: 1_000 }, (_, place) => run.send(`Item ${index + place}.`)));
    });
    const read = await watchLoop(() => {
      gate.resolve();
      return run.result;
    });
    if (!isEmpty()) throw new Error('the agent ended before it had read its inbox');
    await engine.close();
    return { posted: posted.wall, wall: read.wall, block: Math.max(posted.block, read.block) };
  },
};

/** Returns the number of items that wait; older checkouts keep an inbox as a plain list. */
function waitingIn(inbox: { readonly items: readonly unknown[] } | readonly unknown[] | undefined): number {
  if (inbox === undefined) throw new Error('the run has no agent');
  return ('items' in inbox ? inbox.items : inbox).length;
}

/** Creates a model that waits once, then calls the tool until nothing is left to read. */
function readingModel(gate: Promise<void>, isEmpty: () => boolean): LanguageModelV4 {
  const model = { calling: plainModel({ turns: Number.MAX_SAFE_INTEGER }), ending: plainModel({ turns: 0 }) };
  return {
    ...model.calling,
    doStream: async (options) => {
      await gate;
      return await (isEmpty() ? model.ending : model.calling).doStream(options);
    },
  };
}

/** Measurements of many agents, runs or messages at once. */
export const crowdProbes: Readonly<Record<string, Probe>> = {
  'fan-out-1000': fanOutProbe(1_000),
  'fan-out-5000': fanOutProbe(5_000),
  'launches-1000': launchesProbe(1_000, 'memory'),
  'launches-10000': launchesProbe(10_000, 'memory'),
  'durable-1000': launchesProbe(1_000, 'sqlite'),
  inbox: inboxProbe,
};
