import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { benchEngine } from './engine-run.ts';
import { floorLoop, plainModel } from './floor.ts';
import { interleaved } from './measure.ts';

const agents = 1000;
const turnsEach = 2;
const delayMs = 10;

/** One line of the benchmark's report. */
export interface BenchResult {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly detail: string;
}

/** A thousand sub-agents of three turns each, dispatched in one call, against a thousand floor loops at once. */
export async function fanOut(rounds: number): Promise<readonly BenchResult[]> {
  const worker = plainModel({ turns: turnsEach, delayMs });
  let heapPerAgent = Number.NaN;
  const costs = await interleaved(
    {
      floor: () => Promise.all(Array.from({ length: agents }, () => floorLoop(worker))),
      engine: async () => {
        heapPerAgent = await dispatchAll(worker);
      },
    },
    rounds,
  );
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

async function dispatchAll(worker: LanguageModelV4): Promise<number> {
  const engine = await benchEngine({ bench: worker, lead: leadModel() }, 'memory');
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const run = await engine.launch({ profile: 'Lead', input: 'Go.' });
  let live = 0;
  let started = 0;
  run.subscribe({
    onEvents: (events) => {
      for (const event of events) if (event.type === 'agent.start') started++;
      if (live === 0 && started >= agents) {
        globalThis.gc?.();
        live = process.memoryUsage().heapUsed - before;
      }
    },
  });
  const { status } = await run.result;
  if (status !== 'completed' || run.state.agents.size !== agents + 1)
    throw new Error(`the fan-out ended ${status} with ${run.state.agents.size} agents`);
  await engine.close();
  return live / agents;
}

/** The lead's model: creates the modules, dispatches them all, and is done. */
function leadModel(): LanguageModelV4 {
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
  let turn = 0;
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'lead',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('the benchmark streams')),
    doStream: async (_options: LanguageModelV4CallOptions) => {
      const step = steps[turn++];
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
