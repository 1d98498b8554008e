import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { EngineOptions } from '../src/index.ts';
import { addTool } from './floor.ts';

/** Minimal profile for the same work as the floor. */
export const adderFile = {
  path: 'profiles/adder.yaml',
  text: `
name: Adder
type: associate
llm_config_ref: bench
available_for_staffing: true
instructions: You add numbers.
tool_access_policy:
  allowed_individual_tools: [add]
limits: { max_turns: 1000000, max_tool_calls: 1000000, max_tokens: 1000000000, max_children: 1000000 }
`,
};

const unlimited = {
  maxTurns: 1_000_000,
  maxToolCalls: 1_000_000,
  maxTokens: 1_000_000_000,
  maxChildren: 1_000_000,
  maxLive: 1_000_000,
  maxTotal: 1_000_000,
};

/** Profile of the fan-out benchmark: one lead that dispatches everything in one call. */
const lead = `
name: Lead
type: principal
llm_config_ref: lead
instructions: You dispatch.
tool_access_policy:
  allowed_toolsets: [planning_tools, dispatch_tools]
limits: { max_children: 1000000, max_turns: 100, max_tokens: 1000000000 }
`;

/** Returns the options of an engine over one journal, with the profiles of all benchmarks. `effect`: kind of the tool's effect. */
export function benchOptions(
  models: Readonly<Record<string, LanguageModelV4>>,
  store: string,
  effect: 'pure' | 'unsafe' = 'pure',
): EngineOptions {
  return {
    profiles: {
      files: [adderFile, { path: 'profiles/lead.yaml', text: lead }],
    },
    models: {
      ...Object.fromEntries(
        Object.values(models)
          .slice(0, 1)
          .map((model) => ['lead', model]),
      ),
      ...models,
    },
    tools: [{ ...addTool, effect }],
    store,
    limits: unlimited,
    team: { maxParallel: 100_000 },
  };
}
