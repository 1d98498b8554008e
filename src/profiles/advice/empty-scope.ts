import { agentRoots } from '../../core/expression/agent-roots.ts';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { Expression, Scope } from '../../core/expression/expression.ts';

const counterNames = agentRoots['counters']?.kind === 'closed' ? Object.keys(agentRoots['counters'].fields) : [];
const counters = Object.fromEntries(counterNames.map((name) => [name, 0]));
const names = { agent_id: 'A_1', parent_agent_id: null, profile: 'A', type: 'agent', role: 'A', role_name: 'A', module_id: null };
const run = { run_id: 'r', run_type: 'A', title: '', status: 'running', created_at: 0, now: 0, input: '', iteration: 0 };
const text = { finish_reason: 'stop', reply: '', tool_calls: [], tools: [], error: null };
const state = {
  messages: [],
  inbox: [],
  flags: {},
  deliverables: {},
  current_action: null,
  initial_params: {},
  initial_parameters: {},
  counters,
  status: 'running',
  turn_count: 0,
  iteration: 0,
  context_tokens: 0,
  last_reply: '',
  archived_messages: [],
  dead_letters: [],
  profiles_list_instance_ids: [],
  allowed_toolsets: [],
  values: {},
  agent_start_utc_timestamp: '',
};

/** State of an agent before its first turn, as conditions see it: counters are 0 and unwritten values are absent. */
const empty: Scope = {
  state,
  meta: { ...names, depth: 0, run_id: 'r', started_at: 0 },
  team: {
    work_modules: {},
    shared: {},
    counters: {},
    dispatch_history: [],
    profiles: [],
    is_principal_flow_running: false,
    agents: {},
  },
  run: { ...run, usage: {}, tokens_left: 1_000_000, cost_left: 1_000, limits: {} },
  counters,
  config: {},
  initial_params: {},
  flags: {},
  inbox: [],
  turn: text,
  principal: null,
  partner: null,
  parent: null,
  request: {},
};

/** Matches paths whose values come from the caller or the run, and so are unknown before launch. */
const open = /^(?:initial_params|initial_parameters|request|config|run\.(?:usage|limits)|state\.initial_param|team\.)/;

/**
 * Returns why a condition fails on the initial state; undefined when it does not fail or reads values that come with the launch.
 */
export function failureAtStart(expression: Expression): string | undefined {
  if (expression.paths.some((path) => open.test(path))) return undefined;
  try {
    expression.test(empty);
    return undefined;
  } catch (thrown) {
    return thrown instanceof CadreError ? thrown.message : describeThrown(thrown);
  }
}
