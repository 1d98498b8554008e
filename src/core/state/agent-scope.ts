import { contextTokens } from '../prompt/context-size.ts';
import { countersView } from './counters-view.ts';
import type { Scope } from '../expression/expression.ts';
import type { WaitingItem } from '../inbox/inbox.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';
import { turnView, type TurnViewEnv } from './turn-view.ts';

type View = Readonly<Record<string, unknown>>;

/** Pure cache: keyed by the agent's state; what it holds are getters over that state and the env it was built with. */
const scopes = new WeakMap<SubContext, { readonly env: TurnViewEnv; readonly run: RunContext; readonly scope: Scope }>();

/**
 * Returns the roots that conditions, templates and ingestors of an agent see, in YAML spelling. Built once per
 * agent: every root is a getter over live state, so a turn pays only for the values it reads.
 */
export function agentScope(env: TurnViewEnv, run: RunContext, agent: SubContext): Scope {
  const known = scopes.get(agent);
  if (known !== undefined && known.run === run && known.env === env) return known.scope;
  const scope = buildScope(env, run, agent);
  scopes.set(agent, { env, run, scope });
  return scope;
}

/** Builds each view on first access: most conditions read only one of them. */
function buildScope(env: TurnViewEnv, run: RunContext, agent: SubContext): Scope {
  let state: View | undefined;
  let meta: View | undefined;
  let counters: View | undefined;
  const countersOf = (): View => (counters ??= countersView(run, agent));
  const shared = runViews(run);
  return {
    get state() {
      return (state ??= stateView(run, agent, countersOf));
    },
    get meta() {
      return (meta ??= metaView(run, agent));
    },
    team: shared.team,
    run: shared.run,
    get counters() {
      return countersOf();
    },
    config: shared.config,
    get initial_params() {
      return agent.initialParams;
    },
    get flags() {
      return agent.flags;
    },
    get inbox() {
      return agent.inbox.items.map(itemView);
    },
    get turn() {
      return turnView(env, run, agent);
    },
    get principal() {
      return otherState(env, run, run.latestOfType.get('principal'));
    },
    get partner() {
      return otherState(env, run, run.latestOfType.get('partner'));
    },
    get parent() {
      return otherState(env, run, agent.meta.parentAgentId);
    },
    request: shared.request,
  };
}

interface RunViews {
  readonly team: View;
  readonly run: View;
  readonly config: View;
  readonly request: View;
}

/** Pure cache: keyed by the run's state; what it holds are getters over that state. */
const viewsOfRuns = new WeakMap<RunContext, RunViews>();

/** Views that all agents of a run share. */
function runViews(run: RunContext): RunViews {
  const known = viewsOfRuns.get(run);
  if (known !== undefined) return known;
  const config = {
    get profiles() {
      return run.meta.profiles;
    },
    llm_config: run.meta.llmConfig ?? null,
  };
  const views = { team: teamView(run), run: runView(run), config, request: run.meta.request };
  viewsOfRuns.set(run, views);
  return views;
}

function otherState(env: TurnViewEnv, run: RunContext, agentId: string | undefined): unknown {
  const other = agentId === undefined ? undefined : run.agents.get(agentId as SubContext['meta']['agentId']);
  return other === undefined ? null : agentScope(env, run, other)['state'];
}

/** Converts an item to the form that conditions see. */
function itemView(waiting: WaitingItem): Readonly<Record<string, unknown>> {
  const { item } = waiting;
  return {
    item_id: item.itemId,
    source: item.source,
    payload: item.payload,
    consumption_policy: item.consumption,
    from: item.from ?? null,
  };
}

type ReadState = (agent: SubContext, run: RunContext, counters: () => View) => unknown;

/** What `state` holds, by key: each value is read when it is needed. */
const stateReaders: Readonly<Record<string, ReadState>> = {
  messages: (agent) => agent.history.messages,
  inbox: (agent) => agent.inbox.items.map(itemView),
  flags: (agent) => agent.flags,
  values: (agent) => agent.values,
  deliverables: (agent) => agent.deliverables,
  current_action: (agent) => agent.turn.action,
  initial_params: (agent) => agent.initialParams,
  initial_parameters: (agent) => agent.initialParams,
  counters: (_agent, _run, counters) => counters(),
  status: (agent) => agent.status,
  turn_count: (agent) => agent.turn.count,
  iteration: (agent) => agent.work.iteration,
  last_turn_id: (agent) => agent.turn.lastId ?? null,
  current_turn_id: (agent) => agent.turn.currentId ?? null,
  context_tokens: contextTokens,
  last_reply: (agent) => agent.turn.lastReply,
  archived_messages: (agent) => agent.history.archived.map((archive) => archive.messages),
  dead_letters: (agent) => agent.inbox.deadLetters,
  profiles_list_instance_ids: (_agent, run) => run.team.shared['profiles_list'] ?? null,
  allowed_toolsets: (agent) => agent.meta.allowedToolsets ?? null,
  agent_start_utc_timestamp: (agent) => new Date(agent.meta.startedAt).toISOString(),
};

function stateView(run: RunContext, agent: SubContext, counters: () => View): View {
  const view = {};
  for (const [key, read] of Object.entries(stateReaders))
    Object.defineProperty(view, key, { enumerable: true, get: () => read(agent, run, counters) });
  return view;
}

function metaView(run: RunContext, agent: SubContext): Readonly<Record<string, unknown>> {
  const { meta } = agent;
  return {
    agent_id: meta.agentId,
    parent_agent_id: meta.parentAgentId ?? null,
    profile: meta.profile,
    type: meta.type,
    role: meta.type,
    role_name: meta.roleName ?? null,
    module_id: meta.moduleId ?? null,
    depth: meta.depth,
    run_id: run.meta.runId,
    started_at: meta.startedAt,
  };
}

function teamView(run: RunContext): Readonly<Record<string, unknown>> {
  const { team } = run;
  return {
    get work_modules() {
      return team.workModules;
    },
    get shared() {
      return team.shared;
    },
    get counters() {
      return team.counters;
    },
    get dispatch_history() {
      return team.dispatchHistory;
    },
    get profiles() {
      return team.shared['profiles_list'] ?? null;
    },
    get is_principal_flow_running() {
      const id = run.latestOfType.get('principal');
      return id !== undefined && run.agents.get(id)?.status !== 'ended';
    },
    get question() {
      return run.meta.input;
    },
    get agents() {
      return [...run.agents.values()].map((agent) => ({
        agent_id: agent.meta.agentId,
        profile: agent.meta.profile,
        status: agent.status,
        outcome: agent.result.outcome ?? null,
      }));
    },
  };
}

function runView(run: RunContext): Readonly<Record<string, unknown>> {
  return {
    run_id: run.meta.runId,
    run_type: run.meta.profile,
    get title() {
      return run.meta.title;
    },
    get status() {
      return run.status;
    },
    created_at: run.meta.createdAt,
    get now() {
      return new Date(run.at).toISOString();
    },
    input: run.meta.input,
    get usage() {
      return run.usage;
    },
    get tokens_left() {
      return Math.max(0, run.limits.maxTokens - run.budget.tokens - run.budget.reservedTokens);
    },
    get cost_left() {
      return Math.max(0, run.limits.maxCostUsd - run.budget.cost - run.budget.reservedCost);
    },
    limits: run.limits,
    iteration: 1,
  };
}
