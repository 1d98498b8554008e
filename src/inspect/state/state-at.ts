import { CadreError } from '../../core/error.ts';
import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { AgentId, RunId, TurnId } from '../../core/ids.ts';
import type { JsonValue, JsonObject } from '../../core/json.ts';
import { stateChanges, type StateChangeView } from '../../core/patches/state-changes.ts';
import { countersView } from '../../core/state/counters-view.ts';
import { shownCost } from '../../core/state/budget.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { readJson } from '../../core/read-json.ts';

/** A change of state that is on record, and the turn it belongs to. */
export interface PlacedChange extends StateChangeView {
  readonly at: number;
  readonly agentId?: AgentId;
  /** The turn that it happened in, or before which. */
  readonly turnId?: TurnId;
}

/** State of a run at one point. */
export interface StateAt {
  readonly runId: RunId;
  /** The last event that it includes, and its time. */
  readonly seq: number;
  readonly at: number;
  /** The last event of the run. */
  readonly lastSeq: number;
  readonly path?: string;
  /** The value at the path; the whole state without one. */
  readonly value: JsonValue | StateView;
  /** The changes that made the value, oldest first: all of those above, at and below the path. Empty without a path. */
  readonly changes: readonly PlacedChange[];
}

/** What to read of a past state. */
export interface StateQuery {
  /** The last event to include; the end of the run when absent. */
  readonly seq?: number | undefined;
  /** Such as `Worker_2.flags.n`, `team.shared.notes`, `team.work_modules.WM_1.status`, `run.status`. */
  readonly path?: string | undefined;
}

/**
 * Returns the state of a run as it was after an event, whole or at a path, with the patches that made it.
 *
 * @throws CadreError `OPTION_INVALID` for an event or a path that does not exist, with what there is
 */
export function stateAt(events: readonly CadreEvent[], { seq, path }: StateQuery = {}): StateAt {
  const last = events.at(-1);
  const end = seq ?? last?.seq ?? 0;
  if (last === undefined || end < 1 || end > last.seq || !Number.isInteger(end))
    throw new CadreError('OPTION_INVALID', `there is no event ${end}; the run has the events 1 to ${last?.seq ?? 0}`);
  const known = events.slice(0, end);
  const run = foldEvents(known, 'everything');
  if (run === undefined) throw new CadreError('STORE_CORRUPT', `run ${last.runId} does not begin with run.start`);
  const view = stateView(run);
  const place = { runId: last.runId, seq: end, at: run.at, lastSeq: last.seq };
  if (path === undefined) return { ...place, value: view, changes: [] };
  const changes = placedChanges(known);
  const target = findTarget(view, path, changes);
  return {
    ...place,
    path: target.path,
    value: target.value ?? null,
    changes: changes.filter((change) => isAbout(change, target.keys)),
  };
}

/** A path that was found: its keys begin with an agent's id, `team` or `run`. */
interface Target {
  readonly path: string;
  readonly keys: readonly string[];
  readonly value: JsonValue | undefined;
}

function findTarget(view: StateView, path: string, changes: readonly PlacedChange[]): Target {
  const keys = pathKeys(path);
  const roots = { ...view.agents, team: view.team, run: view.run };
  const [first = ''] = keys;
  if (Object.hasOwn(roots, first)) return found(roots, keys, changes);
  // The values of one agent, when no agent is named and only one has them.
  const owners = Object.keys(view.agents).filter((agentId) => valueBelow(view.agents[agentId], keys).found === keys.length);
  const [only] = owners;
  if (only !== undefined && owners.length === 1) return found(roots, [only, ...keys], changes);
  if (owners.length > 1) {
    const named = owners.slice(0, 8).map((agentId) => `${agentId}.${path}`);
    throw new CadreError('OPTION_INVALID', `several agents have '${path}'; name one: ${named.join(', ')}`);
  }
  throw missing(path, first, Object.keys(roots));
}

function found(roots: Readonly<Record<string, unknown>>, keys: readonly string[], changes: readonly PlacedChange[]): Target {
  const path = keys.map((key) => (key.includes('.') ? JSON.stringify(key) : key)).join('.');
  const { value, found: depth } = valueBelow(roots, keys);
  // A value that was removed is no more, and its changes are.
  if (depth === keys.length || changes.some((change) => isAbout(change, keys) && keysOf(change).length >= keys.length))
    return { path, keys, value };
  const parent = valueBelow(roots, keys.slice(0, depth)).value;
  const names = typeof parent === 'object' && parent !== null ? Object.keys(parent) : [];
  throw missing(path, keys[depth] ?? '', names, keys.slice(0, depth).join('.'));
}

function missing(path: string, name: string, names: readonly string[], below?: string): CadreError {
  const meant = closestName(name, names);
  const where = below === undefined || below === '' ? '' : ` below '${below}'`;
  const listed = names.slice(0, 20).join(', ') || 'nothing';
  const hint = meant === undefined ? '' : `; did you mean '${meant}'?`;
  return new CadreError('OPTION_INVALID', `there is no '${path}' at this point: no '${name}'${where}; there is: ${listed}${hint}`);
}

/** All changes of state, in order, with the turn of each. */
function placedChanges(events: readonly CadreEvent[]): readonly PlacedChange[] {
  const turns = new Map<AgentId, TurnId>();
  return events.flatMap((event): readonly PlacedChange[] => {
    if (event.type === 'turn.start') turns.set(event.agentId, event.turnId);
    if (event.type === 'agent.end' && Object.keys(event.deliverables).length > 0) return [handedIn(event, turns)];
    if (event.type !== 'state.patch' && event.type !== 'state.update') return [];
    const { agentId, at } = event;
    const turnId = event.turnId ?? (agentId === undefined ? undefined : turns.get(agentId));
    const place = { at, ...(agentId === undefined ? {} : { agentId }), ...(turnId === undefined ? {} : { turnId }) };
    return stateChanges(event).map((change) => ({ ...change, ...place }));
  });
}

/** The deliverables that an agent ended with: they replace what it had. */
function handedIn(
  { seq, at, agentId, deliverables: value }: EventOf<'agent.end'>,
  turns: ReadonlyMap<AgentId, TurnId>,
): PlacedChange {
  const turnId = turns.get(agentId);
  const change = {
    seq,
    at,
    scope: 'agent',
    path: 'deliverables',
    operation: 'set',
    value,
    by: 'the end of the agent',
    agentId,
  } as const;
  return turnId === undefined ? change : { ...change, turnId };
}

/** Keys of a change from the roots of the state down. */
function keysOf({ path, scope, agentId }: PlacedChange): readonly string[] {
  const keys = pathKeys(path);
  return scope === 'team' || agentId === undefined ? keys : [agentId, ...keys];
}

/** True when a change made the value: it set it, a part of it, or something that it is in. */
function isAbout(change: PlacedChange, keys: readonly string[]): boolean {
  const changed = keysOf(change);
  return keys.slice(0, changed.length).every((key, index) => changed[index] === key);
}

/** State of a run at one point, as plain data; paths address its values: `Worker_2.flags.n`, `team.work_modules.WM_1.status`. */
interface StateView {
  readonly run: JsonObject;
  readonly team: { readonly shared: JsonObject; readonly work_modules: JsonObject };
  /** Each agent under its id. */
  readonly agents: Readonly<Record<string, JsonObject>>;
}

/** Returns the state of a run for people: what conditions can read, and the position of each agent. */
function stateView(run: RunContext): StateView {
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
  return readJson(JSON.stringify(value)) as StateView;
}

/** Keys of a path, where a key with a dot is quoted: `team.shared."a.b".0`. */
function pathKeys(path: string): readonly string[] {
  const keys = path.match(/"(?:[^"\\]|\\.)*"|[^.[\]]+/g) ?? [];
  return keys.map((key) => (key.startsWith('"') ? (readJson(key) as string) : key));
}

/** Returns the value below the keys, and how many of them exist. */
function valueBelow(value: unknown, keys: readonly string[]): { readonly value: JsonValue | undefined; readonly found: number } {
  let at = value;
  for (const [index, key] of keys.entries()) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return { value: undefined, found: index };
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return { value: at as JsonValue | undefined, found: keys.length };
}
