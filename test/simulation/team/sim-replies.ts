import type { AgentId } from '../../../src/core/ids.ts';
import type { Usage } from '../../../src/core/model/model.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { Run } from '../../../src/index.ts';
import { toolNames } from './tool-names.ts';
import type { Cast } from './cast.ts';
import type { World } from '../world/world.ts';

/** Reply of a simulated model, and its behaviour while replying. */
export interface SimReply {
  readonly text?: string;
  readonly toolCalls?: readonly ({ readonly name: string; readonly id?: string } & (
    | { readonly args: JsonObject }
    | { readonly input: string }
  ))[];
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly error?: Error;
  /** The model hangs forever: before its stream, or within it at `cutAfter`. */
  readonly hangs?: 'before' | 'within';
  /** The stream ends after that many parts. */
  readonly cutAfter?: number;
  readonly ignoresAbort: boolean;
  /** True when all parts arrive together; otherwise each part waits for its turn. */
  readonly isHasty: boolean;
}

/** Facts of the request to the model. */
export interface Asked {
  readonly turnId: string;
  readonly hasTools: boolean;
  readonly run: Run | undefined;
}

type Call = NonNullable<SimReply['toolCalls']>[number];

/** Chooses what a model says next. */
export function chooseReply(world: World, asked: Asked): SimReply {
  const { replies, faults } = world;
  const manners = {
    ignoresAbort: faults.strikes('model ignores abort', 0.1),
    isHasty: replies.chance(world.cast.isLong ? 0.97 : 0.75),
  };
  if (faults.strikes('model throws', 0.1)) return { ...manners, error: thrown(world) };
  if (faults.strikes('model hangs', 0.04)) return { ...manners, ...words(world), hangs: 'before' };
  if (faults.strikes('model hangs', 0.04)) return { ...manners, ...words(world), hangs: 'within', cutAfter: 1 + replies.int(4) };
  const reply = { ...manners, ...used(world), ...(asked.hasTools ? act(world, asked) : words(world)) };
  if (faults.strikes('model is cut', 0.08)) return { ...reply, cutAfter: 1 + replies.int(6) };
  return reply;
}

/** Chooses what a summariser says: a summary as a rule, none or too much of one now and then. */
export function chooseSummary(world: World): SimReply {
  const { replies, faults } = world;
  const manners = { ignoresAbort: false, isHasty: replies.chance(0.5) };
  if (faults.strikes('model throws', 0.2)) return { ...manners, error: thrown(world) };
  if (faults.strikes('model asks nonsense', 0.3)) return { ...manners, text: replies.pick(['', 'x'.repeat(20_000)]) };
  return { ...manners, ...used(world), text: `summary ${world.mark('summary')}` };
}

function words(world: World): { readonly text: string } {
  return { text: `words ${world.mark('words')}${world.cast.isWordy ? ` ${'and more of them '.repeat(20)}` : ''}` };
}

/** Returns the usage that a provider reports when the model has a price; some report none. */
function used({ cast, replies }: World): Pick<SimReply, 'usage'> {
  if (!cast.isPriced || replies.chance(0.1)) return {};
  return { usage: { inputTokens: 100 + replies.int(2_400), outputTokens: replies.int(60) } };
}

function thrown(world: World): Error {
  const status = world.replies.pick([400, 429, 500, 529]);
  return Object.assign(new Error(`HTTP ${status}`), {
    name: 'AI_APICallError',
    statusCode: status,
    isRetryable: status !== 400,
    responseHeaders: {},
    responseBody: '',
  });
}

function act(world: World, asked: Asked): Omit<SimReply, 'ignoresAbort' | 'isHasty'> {
  const { replies, faults } = world;
  const agent = asked.turnId.slice(0, asked.turnId.search(/_\d|\d*_|\./));
  if (faults.strikes('model asks nonsense', 0.1)) return nonsense(world);
  const calls = agent.startsWith('Part')
    ? partner
    : agent.startsWith('Princ')
      ? principal
      : agent.startsWith('Lead')
        ? lead
        : agent.startsWith('Clerk')
          ? clerk
          : /^(?:Assoc|Scribe)/.test(agent)
            ? associate
            : member;
  if (world.cast.isLong) return goOnAndOn(world, asked);
  if (replies.chance(faults.stopped ? 0.7 : 0.3))
    return faults.stopped && replies.chance(0.5) ? { toolCalls: [ending(world)] } : words(world);
  // Together they are more than their gate lets through.
  const isSpending = (calls === clerk || calls === member) && replies.chance(0.15);
  const toolCalls = Array.from({ length: 1 + replies.int(3) }, () =>
    isSpending ? { name: 'spend', args: { n: 1 } } : calls(world, asked),
  );
  return replies.chance(0.5) ? { ...words(world), toolCalls } : { toolCalls };
}

/** Turns by which a window has left more behind than stays in memory. */
const manyTurns = 520;

/** Makes one call after the other, and sometimes sends a message to any listener. */
function goOnAndOn(world: World, { run }: Asked): Omit<SimReply, 'ignoresAbort' | 'isHasty'> {
  const { replies } = world;
  if ((run?.state.counters.turns ?? 0) > manyTurns) return words(world);
  const toolCalls = Array.from({ length: 1 + replies.int(2) }, () => ({
    name: replies.pick(['fetch', 'fetch', 'fetch', 'put', 'pay']),
    args: { n: replies.int(3) },
  }));
  return replies.chance(0.2) ? { ...words(world), toolCalls } : { toolCalls };
}

function ending(world: World): Call {
  return world.replies.chance(0.5)
    ? { name: 'finish', args: { n: 3 } }
    : { name: 'finish_flow', args: { summary: 'Done.', deliverables: { primary_summary: 'Done.' } } };
}

function member({ replies, cast: { workers } }: World, asked: Asked): Call {
  if (replies.chance(0.15)) return { name: 'delegate', args: { to: replies.pick(workers) } };
  // An agent that was stopped midway has unanswered calls, and may be called again.
  if (replies.chance(childrenOf(asked).stopped.length > 0 ? 0.7 : 0.25)) return callAgents({ replies, workers }, asked);
  return {
    name: replies.pick(toolNames.filter((name) => name !== 'delegate')),
    args: { n: replies.int(4) },
    id: replies.pick(['p1', 'p2', '']),
  };
}

/** Calls agents in each of the three ways: new ones, ones called before, and ones that do not exist or are busy. */
function callAgents({ replies, workers }: Pick<World, 'replies'> & Pick<Cast, 'workers'>, asked: Asked): Call {
  const { known, stopped } = childrenOf(asked);
  const request = (): JsonObject => {
    const some = stopped.length > 0 && replies.chance(0.7) ? stopped : known;
    const agentId = some.length > 0 && replies.chance(0.8) ? replies.pick(some) : undefined;
    const profile =
      agentId !== undefined && replies.chance(0.9) ? agentId.slice(0, agentId.lastIndexOf('_')) : replies.pick(workers);
    return { profile, input: 'Do it.', ...(agentId === undefined ? {} : { agent_id: agentId }) };
  };
  const { profile, ...rest } = request();
  switch (replies.int(3)) {
    case 0:
      return { name: 'call_agent', args: { ...rest, profile: profile ?? '' } };
    case 1:
      return { name: `ask_${String(profile)}`, args: rest };
    default:
      return { name: 'call_agents', args: { calls: Array.from({ length: 1 + replies.int(3) }, request) } };
  }
}

/** The agents that the asked one has called before, and those among them that were cancelled. */
function childrenOf({ run, turnId }: Asked): { readonly known: readonly AgentId[]; readonly stopped: readonly AgentId[] } {
  const known = run?.state.agents.get(turnId.slice(0, turnId.lastIndexOf('.')) as AgentId)?.children ?? [];
  return { known, stopped: known.filter((id) => run?.state.agents.get(id)?.result.outcome === 'cancelled') };
}

function partner({ replies }: World): Call {
  const kind = replies.int(8);
  if (kind < 3) return launch(replies.chance(0.8), replies.chance(0.3));
  if (kind < 5) return plan(replies.int(2) + 1);
  if (kind === 5)
    return {
      name: 'send_directive',
      args: { directive_type: 'ADD_CONTEXT', payload: { user_facing_message_for_principal: 'Faster.' } },
    };
  return { name: replies.pick(['gated', 'sign', 'ship', 'ask_person', 'ask_soon']), args: { n: 1 } };
}

function launch(fresh: boolean, force: boolean): Call {
  return {
    name: 'launch_principal',
    args: fresh
      ? { iteration_mode: 'start_fresh', force_terminate_and_relaunch: force, initial_briefing_for_principal: { user_query: 'q' } }
      : { iteration_mode: 'continue_from_previous', force_terminate_and_relaunch: force },
  };
}

function plan(count: number): Call {
  const actions = Array.from({ length: count }, (_, index) => ({ action: 'create', name: `m${index}`, description: 'About it.' }));
  return { name: 'manage_work_modules', args: { actions } };
}

function principal(world: World, { run }: Asked): Call {
  const { replies } = world;
  const modules = Object.keys(run?.state.team.workModules ?? {});
  const kind = replies.int(10);
  if (modules.length === 0 || kind === 0) return plan(1 + replies.int(3));
  if (kind < 6) {
    const chosen = modules.filter(() => replies.chance(0.6));
    return { name: 'dispatch_submodules', args: { assignments: chosen.map(assignment) } };
  }
  if (kind === 6) return { name: replies.pick(['pay', 'fetch']), args: { n: replies.int(4) } };
  if (kind === 7) return ending(world);
  const status = replies.pick(['completed', 'pending', 'deprecated']);
  return {
    name: 'manage_work_modules',
    args: { actions: [{ action: 'status_change', module_id: replies.pick(modules), new_status: status }] },
  };
}

/** Plans in any order and shape, some of which are none. */
function lead({ replies }: World): Call {
  if (replies.chance(0.3)) return { name: replies.pick(['pay', 'fetch']), args: { n: replies.int(4) } };
  const names = ['a', 'b', 'c', 'd'].slice(0, 1 + replies.int(4));
  const phases = names.map((name, index): JsonObject => {
    const after = names.slice(0, index).filter(() => replies.chance(0.5));
    const worker = replies.pick(['Associate', 'Scribe', 'Worker1']);
    const who = replies.chance(0.2) ? { parallel_workers: ['Associate', 'Scribe'] } : { worker };
    return { name, ...who, ...(replies.chance(0.5) ? { depends_on: replies.chance(0.05) ? ['z'] : after } : {}) };
  });
  return { name: 'run_plan', args: { goal: 'Do it.', phases } };
}

function clerk({ replies }: World): Call {
  return {
    name: replies.pick([
      'gated',
      'sign',
      'ship',
      'ship',
      'spend',
      'probe',
      'probe',
      'mail',
      'drop',
      'put',
      'ask_person',
      'ask_soon',
    ]),
    args: { n: replies.int(4) },
  };
}

function assignment(moduleId: string): JsonObject {
  return {
    module_id_to_assign: moduleId,
    agent_profile_logical_name: 'Associate',
    assigned_role_name: 'Associate',
    assignment_specific_instructions: 'Do it.',
  };
}

/** Tools of associates; some are not for all of them. */
const hands = ['pay', 'put', 'fetch', 'probe', 'mail', 'gated', 'sign', 'ship', 'ask_person', 'ask_soon'];

function associate(world: World): Call {
  const { replies } = world;
  if (replies.chance(0.4)) return { name: 'finish_flow', args: { summary: 'Done.', deliverables: { primary_summary: 'Done.' } } };
  return { name: replies.pick(hands), args: { n: replies.int(4) } };
}

function nonsense({ replies }: World): Omit<SimReply, 'ignoresAbort' | 'isHasty'> {
  return replies.pick<Omit<SimReply, 'ignoresAbort' | 'isHasty'>>([
    { text: '' },
    { text: '  \n' },
    { text: '\ud800 odd' },
    { text: 'filtered', finishReason: 'content-filter' },
    { text: 'long', toolCalls: [{ name: 'pay', input: '{"n":' }], finishReason: 'length' },
    {
      toolCalls: [
        { name: 'unknown', args: {} },
        { name: 'functions.pay', args: { n: 1 }, id: 'p1' },
        { name: '', args: {}, id: 'p1' },
      ],
    },
    {
      toolCalls: ['{"n":', 'null', '', '[]', 'n: 1', '{"n":"x"}', '{"n":1,"__proto__":{}}'].map((input) => ({
        name: 'strict',
        input,
        id: 'p1',
      })),
    },
  ]);
}
