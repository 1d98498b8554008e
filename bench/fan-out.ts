import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { benchEngine } from './engine-run.ts';
import { floorLoop, plainModel } from './floor.ts';
import { interleaved, settledHeap } from './measure.ts';

const agents = 1000;
const turnsEach = 2;
const delayMs = 10;

/** One row of the benchmark's report. */
export interface BenchResult {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly detail: string;
}

/** Compares a thousand sub-agents of three turns each, dispatched in one call, with a thousand concurrent floor loops. */
export async function fanOut(rounds: number): Promise<readonly BenchResult[]> {
  const worker = plainModel({ turns: turnsEach, delayMs });
  const engine = await benchEngine({ bench: worker, lead: leadModel(agents) }, 'memory');
  const costs = await interleaved(
    {
      floor: () => Promise.all(Array.from({ length: agents }, () => floorLoop(worker))),
      engine: () => dispatchAll(engine),
    },
    rounds,
  );
  await engine.close();
  const heapPerAgent = await heapOfLiveAgents();
  return [
    {
      name: `${agents} sub-agents: wall × floor`,
      value: costs.engine.wall / costs.floor.wall,
      limit: 2.5,
      detail: `${costs.engine.wall.toFixed(0)} ms against ${costs.floor.wall.toFixed(0)} ms`,
    },
    {
      name: 'heap per live agent, KB',
      value: heapPerAgent / 1024,
      limit: 25,
      detail: `of ${agents} at work at the same time`,
    },
  ];
}

type BenchEngine = Awaited<ReturnType<typeof benchEngine>>;

async function dispatchAll(engine: BenchEngine): Promise<void> {
  const run = await engine.launch({ profile: 'Lead', input: 'Go.' });
  const { status } = await run.result;
  if (status !== 'completed' || run.state.agents.size !== agents + 1)
    throw new Error(`the fan-out ended ${status} with ${run.state.agents.size} agents`);
}

/** Returns the heap in bytes per agent while the models of all of them are about to answer. */
async function heapOfLiveAgents(): Promise<number> {
  const worker = plainModel({ turns: turnsEach });
  const gate = Promise.withResolvers<void>();
  const all = Promise.withResolvers<void>();
  let asked = 0;
  const waiting: LanguageModelV4 = {
    ...worker,
    doStream: async (options) => {
      asked += 1;
      if (asked === agents) all.resolve();
      await gate.promise;
      return await worker.doStream(options);
    },
  };
  const engine = await benchEngine({ bench: waiting, lead: leadModel(agents) }, 'memory');
  const before = await settledHeap();
  const ended = dispatchAll(engine);
  await all.promise;
  const live = (await settledHeap()) - before;
  gate.resolve();
  await ended;
  await engine.close();
  return live / agents;
}

/** Creates the model of a lead: it creates the modules, dispatches them all, then ends. */
export function leadModel(agents: number): LanguageModelV4 {
  const modules = Array.from({ length: agents }, (_, index) => ({
    action: 'create',
    name: `Module ${index + 1}`,
    description: 'Add numbers.',
  }));
  const assignments = modules.map((_, index) => ({
    module_id_to_assign: `WM_${index + 1}`,
    agent_profile_logical_name: 'Adder',
    assigned_role_name: 'Adder',
    assignment_specific_instructions: 'Add.',
  }));
  const steps = [
    { tool: 'manage_work_modules', input: JSON.stringify({ actions: modules }) },
    { tool: 'dispatch_submodules', input: JSON.stringify({ assignments }) },
  ];
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'lead',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('the benchmark streams')),
    doStream: async ({ prompt }: LanguageModelV4CallOptions) => {
      const turn = prompt.filter(({ role }) => role === 'assistant').length;
      const step = steps[turn];
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] });
            if (step === undefined) {
              controller.enqueue({ type: 'text-start', id: 't' });
              controller.enqueue({ type: 'text-delta', id: 't', delta: 'Done.' });
              controller.enqueue({ type: 'text-end', id: 't' });
            } else controller.enqueue({ type: 'tool-call', toolCallId: `lead_${turn}`, toolName: step.tool, input: step.input });
            controller.enqueue({
              type: 'finish',
              usage,
              finishReason: step === undefined ? { unified: 'stop', raw: 'stop' } : { unified: 'tool-calls', raw: 'tool_calls' },
            });
            controller.close();
          },
        }),
      };
    },
  };
}
