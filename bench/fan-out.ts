import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Run } from '../src/index.ts';
import { benchEngine } from './engine-run.ts';
import { floorLoop, plainModel } from './floor.ts';
import { interleaved } from './measure.ts';

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
  const heapPerAgent = await heapOfLiveAgents(engine);
  await engine.close();
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
      detail: globalThis.gc === undefined ? '(run with --expose-gc for an exact figure)' : '',
    },
  ];
}

type BenchEngine = Awaited<ReturnType<typeof benchEngine>>;

async function dispatchAll(engine: BenchEngine, watch?: (run: Run) => void): Promise<void> {
  const run = await engine.launch({ profile: 'Lead', input: 'Go.' });
  watch?.(run);
  const { status } = await run.result;
  if (status !== 'completed' || run.state.agents.size !== agents + 1)
    throw new Error(`the fan-out ended ${status} with ${run.state.agents.size} agents`);
}

/** Returns the heap in bytes per live agent, measured in a separate run because garbage collection takes time. */
async function heapOfLiveAgents(engine: BenchEngine): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let live = 0;
  let started = 0;
  await dispatchAll(engine, (run) =>
    run.subscribe({
      onEvents: (events) => {
        for (const event of events) if (event.type === 'agent.start') started++;
        if (live > 0 || started < agents) return;
        globalThis.gc?.();
        live = process.memoryUsage().heapUsed - before;
      },
    }),
  );
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
