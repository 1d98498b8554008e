import { prepareEngine, type PreparedEngine } from '../../../src/engine/create-engine.ts';
import type { RunId } from '../../../src/core/ids.ts';
import type { ProfileFile } from '../../../src/core/profile.ts';
import { defineIngestor } from '../../../src/index.ts';
import { deciders, observers } from '../../support/random-profiles.ts';
import { allow } from '../../support/tools.ts';
import { simTools, toolNames } from './sim-tools.ts';

/** Profiles a simulated run may be launched with. */
export const rootProfiles: readonly string[] = [
  ...deciders.map((_, index) => `Root${index}`),
  'Partner',
  'Principal',
  'Lead',
  'Flow',
];

/** Profiles that `delegate` may start. */
export const workerProfiles: readonly string[] = deciders.map((_, index) => `Worker${index}`);

/** Says in each prompt whose it is, and which turn's. */
const instructions = 'instructions: "<<{{ meta.run_id }}|{{ meta.agent_id }}|{{ state.turn_count }}>>"';
const waits =
  'flow_decider: [{ id: tools, condition: state.current_action, action: { type: continue_with_tool } }, { id: wait, action: { type: await_user_input } }]';
const gates =
  'tool_gates: [{ id: gate, tools: [gated], condition: args.n != 0, verdict: ask }, { id: no, tools: [fetch], condition: args.n == 3, verdict: deny }]';
const strategies = 'inbox_handling_strategies: [{ source: BAD, ingestor: bad }]';

function profile(name: string, type: string, ...lines: readonly string[]): ProfileFile {
  const head = [`name: ${name}`, `type: ${type}`, 'llm_config_ref: m', instructions];
  return { path: `profiles/${name}.yaml`, text: `${[...head, ...lines].join('\n')}\n` };
}

function randomProfile(name: string, decider: string): ProfileFile {
  const limits = 'limits: { max_turns: 4, max_children: 4, max_depth: 3, max_live: 6 }';
  const calls = `callable_profiles: [${workerProfiles.join(', ')}]`;
  const exposed = `exposable_as_tool: { name: ask_${name}, description: Works., max_depth: 2, concurrency: serial }`;
  const tools = allow(...toolNames, 'call_agent', 'call_agents', ...workerProfiles.map((worker) => `ask_${worker}`));
  return profile(name, 'associate', decider, tools, limits, gates, strategies, observers, calls, exposed);
}

const files: readonly ProfileFile[] = [
  ...deciders.map((decider, index) => randomProfile(`Root${index}`, decider)),
  ...deciders.map((decider, index) => randomProfile(`Worker${index}`, decider)),
  profile(
    'Partner',
    'partner',
    'tool_access_policy: { allowed_toolsets: [planning_tools, launch_tools, monitoring_tools, intervention_tools], allowed_individual_tools: [gated, ask_person] }',
    'limits: { max_turns: 6 }',
    gates,
    strategies,
    waits,
  ),
  profile(
    'Principal',
    'principal',
    'tool_access_policy: { allowed_toolsets: [planning_tools, dispatch_tools, reporting_tools, flow_control_end], allowed_individual_tools: [pay, fetch] }',
    'limits: { max_turns: 8 }',
    strategies,
  ),
  profile(
    'Associate',
    'associate',
    'available_for_staffing: true',
    'description_for_human: Works.',
    'tool_access_policy: { allowed_toolsets: [flow_control_end, flow_control_summary], allowed_individual_tools: [pay, put, fetch, gated, ask_person] }',
    'limits: { max_turns: 4 }',
    gates,
    strategies,
    observers,
  ),
];

/** What plans, and what is planned for: phases, a loop without a model, checkpoints, bounds of tools, what others see, and streams of events. */
const planning: readonly ProfileFile[] = [
  profile(
    'Lead',
    'principal',
    'callable_profiles: [Associate, Scribe, Worker1]',
    'tool_access_policy: { allowed_toolsets: [phases, flow_control_end], allowed_individual_tools: [pay, fetch] }',
    'context_policy: { visibility: [own, conversation, team, global] }',
    'pre_turn_observers: [{ id: must, condition: counters.turn_count % 3 == 1, action: { type: set_tool_choice, tool_choice: required } }, { id: not, condition: counters.turn_count % 2 == 1, action: { type: filter_tools, except: [pay] } }]',
    'limits: { max_turns: 6, max_live: 6 }',
    strategies,
  ),
  profile(
    'Flow',
    'principal',
    'callable_profiles: [Scribe, Worker1]',
    'tool_access_policy: { allowed_toolsets: [agents, phases] }',
    'checkpoints: [{ id: planned, on_tools: [run_plan] }]',
    'limits: { max_turns: 8, max_live: 6 }',
    'planner: { type: loop, max_iterations: 2, until: iteration == 2, steps: [{ id: work, tool: run_plan, args: { phases: [{ name: "a {{ iteration }}", worker: Scribe }, { name: b, worker: Worker1, depends_on: [] }, { name: c, worker: Scribe }] } }, { id: judge, tool: call_agent, keep_agent: true, args: { profile: Scribe, input: "Judge {{ results.work.ok }}" } }] }',
    strategies,
  ),
  profile(
    'Scribe',
    'associate',
    'tool_access_policy: { allowed_toolsets: [flow_control_end], allowed_individual_tools: [pay, put, fetch, gated, ask_person] }',
    'context_policy: { rendering: { style: event_stream, full: 100 } }',
    'checkpoints: [{ id: second, after_turns: 2 }]',
    'limits: { max_turns: 4 }',
    gates,
    strategies,
  ),
];

const bad = defineIngestor({
  name: 'bad',
  ingest: () => {
    throw new Error('never');
  },
});

let made: Promise<PreparedEngine> | undefined;

/** The team's profiles and tools, compiled once per process. */
export function prepared(): Promise<PreparedEngine> {
  made ??= prepareEngine({
    profiles: { files: [...files, ...planning] },
    models: { m: { specificationVersion: 'v4', provider: 'none', modelId: 'none', doStream: () => undefined } },
    tools: simTools(),
    ingestors: [bad],
    team: { maxParallel: 2 },
  });
  return made;
}

/** Whose prompt it is, and which turn's, as its system message says. */
export function promptOwner(prompt: readonly { readonly role: string; readonly content: unknown }[]): {
  readonly runId: RunId;
  readonly turnId: string;
} {
  const [, runId = '', agentId = '', turns = ''] = /<<([^|]+)\|([^|]+)\|(\d+)>>/.exec(String(prompt[0]?.content)) ?? [];
  return { runId: runId as RunId, turnId: `${agentId}.t${Number(turns) + 1}` };
}
