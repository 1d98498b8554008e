import type { JsonObject, JsonValue } from '../../core/json.ts';
import { countersView } from '../../core/state/counters-view.ts';
import { shownCost } from '../../core/state/budget.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** State of a run at one point, as plain data; paths address its values: `Worker_2.flags.n`, `team.work_modules.WM_1.status`. */
export interface StateView {
  readonly run: JsonObject;
  readonly team: { readonly shared: JsonObject; readonly work_modules: JsonObject };
  /** Each agent under its id. */
  readonly agents: Readonly<Record<string, JsonObject>>;
}

/** Returns the state of a run for people: what conditions can read, and the position of each agent. */
export function stateView(run: RunContext): StateView {
  const { status, outcome, output, deliverables, error, usage, team } = run;
  return plain({
    run: {
      status,
      outcome,
      output: output === '' ? undefined : output,
      deliverables,
      error,
      usage: { ...usage, ...shownCost(usage) },
      counters: run.counters,
    },
    team: { shared: team.shared, work_modules: team.workModules },
    agents: Object.fromEntries([...run.agents].map(([agentId, agent]) => [agentId, agentView(run, agent)])),
  });
}

function agentView(run: RunContext, agent: SubContext): unknown {
  const { meta, status, turn, inbox, calls, history, result, flags, values, deliverables, initialParams } = agent;
  return {
    profile: meta.profile,
    parent: meta.parentAgentId,
    module: meta.moduleId,
    status,
    turn: turn.currentId ?? turn.lastId,
    outcome: result.outcome,
    flags,
    values,
    deliverables,
    initial_params: initialParams,
    counters: { ...countersView(run, agent) },
    inbox: inbox.items.map(({ item, seq }) => ({ item_id: item.itemId, source: item.source, seq, payload: item.payload })),
    open_calls: [...calls.open.values()].map(({ callId, request, status: call, args }) => ({
      call_id: callId,
      tool: request.name,
      status: call,
      args,
    })),
    messages: history.released + history.messages.length,
  };
}

/** Only what JSON keeps: absent values are left out. */
function plain(value: unknown): StateView {
  return JSON.parse(JSON.stringify(value)) as StateView;
}

/** Keys of a path, where a key with a dot is quoted: `team.shared."a.b".0`. */
export function pathKeys(path: string): readonly string[] {
  const keys = path.match(/"(?:[^"\\]|\\.)*"|[^.[\]]+/g) ?? [];
  return keys.map((key) => (key.startsWith('"') ? (JSON.parse(key) as string) : key));
}

/** Returns the value below the keys, and how many of them exist. */
export function valueBelow(
  value: unknown,
  keys: readonly string[],
): { readonly value: JsonValue | undefined; readonly found: number } {
  let at = value;
  for (const [index, key] of keys.entries()) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return { value: undefined, found: index };
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return { value: at as JsonValue | undefined, found: keys.length };
}
