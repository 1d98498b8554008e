import type { ProfileFile } from '../../../src/core/profile/profile.ts';
import type { LimitOptions } from '../../../src/engine/limit-options.ts';
import { deciders, observers } from '../../support/random-profiles.ts';
import { allow } from '../../support/tools.ts';
import { createRandom, type Random } from '../world/random.ts';
import { chooseFlavour, type Flavour } from './flavour.ts';
import { toolNames } from './tool-names.ts';

/** Participants of one simulated run: its first profile, and the files of all profiles it can meet. */
export interface Cast {
  readonly root: string;
  /** Profiles that `delegate` and calls of agents may start. */
  readonly workers: readonly string[];
  /** Limits of the run. */
  readonly limits: LimitOptions;
  readonly isWordy: boolean;
  /** Its models say what they used, and it has a price. */
  readonly isPriced: boolean;
  /** One agent goes on for hundreds of turns. */
  readonly isLong: boolean;
  /** Steps after which the faults stop, at most. */
  readonly storm: number;
  /** The files as they are in their n-th version. */
  files(version: number): readonly ProfileFile[];
}

/** Instructions that name, in each prompt, its agent, its turn and the version of the files. */
const instructions = (version: number): string =>
  `instructions: "<<{{ meta.run_id }}|{{ meta.agent_id }}|{{ state.turn_count }}|v${version}>>"`;
const waits =
  'flow_decider: [{ id: tools, condition: state.current_action, action: { type: continue_with_tool } }, { id: wait, action: { type: await_user_input } }]';
const gates =
  "tool_gates: [{ id: cut, tools: [gated], condition: \"!(turn.finish_reason in ['stop', 'tool-calls'])\", verdict: deny }, { id: gate, tools: [gated], condition: args.n != 0, verdict: ask }, { id: no, tools: [fetch], condition: args.n == 3, verdict: deny }, { id: soon, tools: [sign], verdict: ask, expires_after: 5s }, { id: lapse, tools: [ship], verdict: ask, expires_after: 3s, on_expire: allow }, { id: once, tools: [spend], condition: \"size(inbox.filter(item, item.source == 'TOOL_RESULT')) > 0\", verdict: deny }]";
const strategies = 'inbox_handling_strategies: [{ source: BAD, ingestor: bad }]';

/** Toolset whose tools differ between versions; no agent calls it, but every prompt of agents that have it lists its tools. */
const deskFile = (version: number): ProfileFile => ({
  path: 'toolsets/desk.yaml',
  text: `name: desk\ntype: toolset\nkind: workspace\nsettings: { read_only: ${version % 2 === 1} }\n`,
});
const deskTools = ['desk_list_files', 'desk_read_file', 'desk_write_file'];

/** One in so many seeds is a long run: it takes as long as many others. */
const longEvery = 251;

/** Chooses who acts in a run. Each process reads the files afresh, so there are no more of them than the run can meet. */
export function chooseCast(seed: number): Cast {
  const random = createRandom(seed, 'cast');
  const flavour = chooseFlavour(random);
  if (seed % longEvery === longEvery - 1)
    return castOf('Elder', [], flavour, [['Elder']], { turns: 700, toolCalls: 100_000, tokens: 1e9 });
  const kind = random.int(deciders.length + roots.length);
  if (kind < deciders.length) return randomCast(kind, random, flavour);
  const root = roots[kind - deciders.length] ?? '';
  const members = teams[root] ?? [];
  const workers = members.filter((name) => name === 'Worker1');
  return castOf(
    root,
    workers,
    flavour,
    members.map((name) => [name, name === 'Worker1' ? 1 : undefined]),
  );
}

/** An agent of any decider, with two profiles it may call, of any decider themselves. */
function randomCast(decider: number, random: Random, flavour: Flavour): Cast {
  const first = random.int(deciders.length);
  const next = random.int(deciders.length - 1);
  const second = next < first ? next : next + 1;
  const members: readonly Member[] = [
    ['Root', decider],
    [`Worker${first}`, first],
    [`Worker${second}`, second],
  ];
  return castOf('Root', [`Worker${first}`, `Worker${second}`], flavour, members);
}

/** A profile of a cast, and the decider it has when it is like all others but for that. */
type Member = readonly [name: string, decider?: number | undefined];

function castOf(
  root: string,
  workers: readonly string[],
  flavour: Flavour,
  members: readonly Member[],
  limits?: LimitOptions,
): Cast {
  const ofMember = (version: number, [name, decider]: Member): ProfileFile =>
    decider === undefined ? fixedFile(name, version, flavour) : likeMember(name, decider, version, flavour);
  const hasBase = members.some(([, decider]) => decider !== undefined);
  return {
    root,
    workers,
    limits: limits ?? flavour.limits,
    isWordy: flavour.isWordy,
    isPriced: flavour.llmConfig === 'priced',
    isLong: limits !== undefined,
    storm: limits !== undefined ? 1_200 : root === 'Clerk' ? 120 : 32,
    files: (version) => [
      ...flavour.files,
      ...(hasBase ? [memberFile(workers, version, flavour), deskFile(version)] : []),
      ...members.map((member) => ofMember(version, member)),
    ],
  };
}

function profile(name: string, type: string, { llmConfig }: Flavour, version: number, ...lines: readonly string[]): ProfileFile {
  const head = [`name: ${name}`, `type: ${type}`, `llm_config_ref: ${llmConfig}`, instructions(version)];
  return { path: `profiles/${name}.yaml`, text: `${[...head, ...lines].join('\n')}\n` };
}

function likeMember(name: string, decider: number, version: number, flavour: Flavour): ProfileFile {
  const exposed = `exposable_as_tool: { name: ask_${name}, description: Works., max_depth: 2, concurrency: serial }`;
  return profile(name, 'associate', flavour, version, 'base_profile: Member', deciders[decider] ?? '', exposed);
}

/** Returns the common profile of agents with any decider: all tools and observers, and the agents they may call. */
function memberFile(workers: readonly string[], version: number, flavour: Flavour): ProfileFile {
  const limits = `limits: { max_turns: ${flavour.turns}, max_children: 4, max_depth: 3, max_live: 6 }`;
  const calls = `callable_profiles: [${workers.join(', ')}]`;
  const tools = allow(...toolNames, ...deskTools, 'call_agent', 'call_agents', ...workers.map((worker) => `ask_${worker}`));
  return profile('Member', 'base', flavour, version, tools, limits, gates, strategies, memberObservers, flavour.context, calls);
}

/** Observers of the random profiles, and one written in code. */
const memberObservers = `${observers.trimEnd()}\n  - { id: tally, action: { type: call, observer: tally } }\n`;

/** The teams by the profile that is launched, with all of their members. */
const teams: Readonly<Record<string, readonly string[]>> = {
  Partner: ['Partner', 'Principal', 'Associate'],
  Principal: ['Principal', 'Associate'],
  Lead: ['Lead', 'Associate', 'Scribe', 'Worker1'],
  Flow: ['Flow', 'Scribe', 'Worker1'],
  Clerk: ['Clerk'],
};

/** Profiles launched with a team; those whose calls people decide on appear more often. */
const roots = [...Object.keys(teams), 'Clerk', 'Clerk'];

function fixedFile(name: string, version: number, flavour: Flavour): ProfileFile {
  const [type = '', ...lines] = fixed[name] ?? [];
  const saysContext = lines.some((line) => line.startsWith('context_policy'));
  return profile(name, type, flavour, version, ...lines, saysContext ? '' : flavour.context);
}

/** Profiles that are always the same: their type, and their lines. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  Partner: [
    'partner',
    'tool_access_policy: { allowed_toolsets: [planning_tools, launch_tools, monitoring_tools, intervention_tools], allowed_individual_tools: [gated, sign, ship, ask_person, ask_soon] }',
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
    'tool_access_policy: { allowed_toolsets: [flow_control_end, flow_control_summary], allowed_individual_tools: [pay, put, fetch, probe, mail, gated, sign, ship, ask_person, ask_soon] }',
    'limits: { max_turns: 4 }',
    gates,
    strategies,
    memberObservers,
  ],
  // Planners and their agents: phases, a loop without a model, checkpoints, bounds of tools, visibility, and streams of events.
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
    'planner: { type: loop, max_iterations: 2, until: iteration == 2, steps: [{ id: work, tool: run_plan, args: { phases: [{ name: "a {{ iteration }}", worker: Scribe }, { name: b, worker: Worker1, depends_on: [] }, { name: c, worker: Scribe }] } }, { id: judge, tool: call_agent, keep_agent: true, args: { profile: Scribe, input: "InputGate {{ results.work.ok }}" } }] }',
    strategies,
  ],
  // Whose calls wait for people, or are of unknown outcome after a crash.
  Clerk: [
    'associate',
    'tool_access_policy: { allowed_individual_tools: [gated, sign, ship, spend, probe, mail, drop, put, ask_person, ask_soon] }',
    'limits: { max_turns: 12 }',
    'stagnation: off',
    gates,
    strategies,
    waits,
  ],
  // Goes on for hundreds of turns, with a window that leaves most of them behind.
  Elder: [
    'associate',
    'tool_access_policy: { allowed_individual_tools: [fetch, pay, put] }',
    'context_policy: { window: 6 }',
    'stagnation: off',
    'limits: { max_turns: 2000, max_tool_calls: 10000, max_tokens: 1000000000 }',
    strategies,
    waits,
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
