import type { ProfileFile } from '../../../src/core/profile.ts';
import { deciders, observers } from '../../support/random-profiles.ts';
import { allow } from '../../support/tools.ts';
import type { Random } from '../world/random.ts';
import { toolNames } from './tool-names.ts';

/** Who may act in one simulated run: the profile it begins with, and the files of all it can meet. */
export interface Cast {
  readonly root: string;
  /** Profiles that `delegate` and calls of agents may start. */
  readonly workers: readonly string[];
  readonly files: readonly ProfileFile[];
}

/** Says in each prompt whose it is, and which turn's. */
const instructions = 'instructions: "<<{{ meta.run_id }}|{{ meta.agent_id }}|{{ state.turn_count }}>>"';
const waits =
  'flow_decider: [{ id: tools, condition: state.current_action, action: { type: continue_with_tool } }, { id: wait, action: { type: await_user_input } }]';
const gates =
  'tool_gates: [{ id: gate, tools: [gated], condition: args.n != 0, verdict: ask }, { id: no, tools: [fetch], condition: args.n == 3, verdict: deny }]';
const strategies = 'inbox_handling_strategies: [{ source: BAD, ingestor: bad }]';

/** Chooses who acts in a run. Each process reads the files afresh, so there are no more of them than the run can meet. */
export function chooseCast(random: Random): Cast {
  const kind = random.int(deciders.length + Object.keys(teams).length);
  const decider = deciders[kind];
  if (decider !== undefined) return randomCast(decider, random);
  const [root = '', members = []] = Object.entries(teams)[kind - deciders.length] ?? [];
  const workers = members.filter((name) => name === 'Worker1');
  const base = workers.length === 0 ? [] : [memberFile(workers)];
  return { root, workers, files: [...base, ...members.map((name) => (name === 'Worker1' ? workerFile(1) : fixedFile(name)))] };
}

/** An agent of any decider, with two profiles it may call, of any decider themselves. */
function randomCast(decider: string, random: Random): Cast {
  const first = random.int(deciders.length);
  const next = random.int(deciders.length - 1);
  const second = next < first ? next : next + 1;
  const workers = [`Worker${first}`, `Worker${second}`];
  const root = profile('Root', 'associate', 'base_profile: Member', decider);
  return { root: 'Root', workers, files: [memberFile(workers), root, workerFile(first), workerFile(second)] };
}

function profile(name: string, type: string, ...lines: readonly string[]): ProfileFile {
  const head = [`name: ${name}`, `type: ${type}`, 'llm_config_ref: m', instructions];
  return { path: `profiles/${name}.yaml`, text: `${[...head, ...lines].join('\n')}\n` };
}

function workerFile(decider: number): ProfileFile {
  const name = `Worker${decider}`;
  const exposed = `exposable_as_tool: { name: ask_${name}, description: Works., max_depth: 2, concurrency: serial }`;
  return profile(name, 'associate', 'base_profile: Member', deciders[decider] ?? '', exposed);
}

/** What agents of any decider have in common: all tools and observers, and whom they may call. */
function memberFile(workers: readonly string[]): ProfileFile {
  const limits = 'limits: { max_turns: 4, max_children: 4, max_depth: 3, max_live: 6 }';
  const calls = `callable_profiles: [${workers.join(', ')}]`;
  const tools = allow(...toolNames, 'call_agent', 'call_agents', ...workers.map((worker) => `ask_${worker}`));
  return profile('Member', 'base', tools, limits, gates, strategies, observers, calls);
}

/** The teams by the profile that is launched, with all of their members. */
const teams: Readonly<Record<string, readonly string[]>> = {
  Partner: ['Partner', 'Principal', 'Associate'],
  Principal: ['Principal', 'Associate'],
  Lead: ['Lead', 'Associate', 'Scribe', 'Worker1'],
  Flow: ['Flow', 'Scribe', 'Worker1'],
};

function fixedFile(name: string): ProfileFile {
  const [type = '', ...lines] = fixed[name] ?? [];
  return profile(name, type, ...lines);
}

/** Profiles that are always the same: their type, and their lines. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  Partner: [
    'partner',
    'tool_access_policy: { allowed_toolsets: [planning_tools, launch_tools, monitoring_tools, intervention_tools], allowed_individual_tools: [gated, ask_person] }',
    'limits: { max_turns: 6 }',
    gates,
    strategies,
    waits,
  ],
  Principal: [
    'principal',
    'tool_access_policy: { allowed_toolsets: [planning_tools, dispatch_tools, reporting_tools, flow_control_end], allowed_individual_tools: [pay, fetch] }',
    'limits: { max_turns: 8 }',
    strategies,
  ],
  Associate: [
    'associate',
    'available_for_staffing: true',
    'description_for_human: Works.',
    'tool_access_policy: { allowed_toolsets: [flow_control_end, flow_control_summary], allowed_individual_tools: [pay, put, fetch, gated, ask_person] }',
    'limits: { max_turns: 4 }',
    gates,
    strategies,
    observers,
  ],
  // What plans, and what is planned for: phases, a loop without a model, checkpoints, bounds of tools, what others see, and streams of events.
  Lead: [
    'principal',
    'callable_profiles: [Associate, Scribe, Worker1]',
    'tool_access_policy: { allowed_toolsets: [phases, flow_control_end], allowed_individual_tools: [pay, fetch] }',
    'context_policy: { visibility: [own, conversation, team, global] }',
    'pre_turn_observers: [{ id: must, condition: counters.turn_count % 3 == 1, action: { type: set_tool_choice, tool_choice: required } }, { id: not, condition: counters.turn_count % 2 == 1, action: { type: filter_tools, except: [pay] } }]',
    'limits: { max_turns: 6, max_live: 6 }',
    strategies,
  ],
  Flow: [
    'principal',
    'callable_profiles: [Scribe, Worker1]',
    'tool_access_policy: { allowed_toolsets: [agents, phases] }',
    'checkpoints: [{ id: planned, on_tools: [run_plan] }]',
    'limits: { max_turns: 8, max_live: 6 }',
    'planner: { type: loop, max_iterations: 2, until: iteration == 2, steps: [{ id: work, tool: run_plan, args: { phases: [{ name: "a {{ iteration }}", worker: Scribe }, { name: b, worker: Worker1, depends_on: [] }, { name: c, worker: Scribe }] } }, { id: judge, tool: call_agent, keep_agent: true, args: { profile: Scribe, input: "Judge {{ results.work.ok }}" } }] }',
    strategies,
  ],
  Scribe: [
    'associate',
    'tool_access_policy: { allowed_toolsets: [flow_control_end], allowed_individual_tools: [pay, put, fetch, gated, ask_person] }',
    'context_policy: { rendering: { style: event_stream, full: 100 } }',
    'checkpoints: [{ id: second, after_turns: 2 }]',
    'limits: { max_turns: 4 }',
    gates,
    strategies,
  ],
};
