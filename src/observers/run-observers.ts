import { agentScope } from '../core/agent-scope.ts';
import type { CodedObserver, ObserverPhase, ObserverResult } from '../core/env.ts';
import { CadreError, toErrorRecord } from '../core/error.ts';
import { isTruthy } from '../core/expression/data.ts';
import type { Scope } from '../core/expression/expression.ts';
import type { AgentId } from '../core/ids.ts';
import type { JsonValue } from '../core/json.ts';
import type { CompiledObserver, CompiledProfile, StateUpdate } from '../core/profile.ts';
import type { AgentState, RunState } from '../core/state.ts';
import { readOnlyView } from '../core/read-only-view.ts';
import { toWire } from '../core/to-wire.ts';
import { boundOf, type ToolBound } from '../core/tool-bound.ts';
import type { Transaction } from '../core/transaction.ts';
import { speaksOfErrors } from '../core/turn-error.ts';
import type { ObserverRecord } from '../core/turn.ts';
import type { TurnViewEnv } from '../core/turn-view.ts';

/** Most items the observers of one phase may add; more is a storm, and is cut off with a note (FAULTS E4). */
const maxItemsPerPhase = 16;

/** Most things one coded observer may want done at once. */
const maxResults = 64;

const none: readonly ObserverRecord[] = [];

/** What observers need besides state. */
export interface ObserverPorts {
  /** What the roots of conditions need. */
  readonly env: TurnViewEnv;
  readonly observer: (name: string) => CodedObserver | undefined;
}

/**
 * Runs a profile's observers before or after a turn (A1.2). One that fails is recorded, the model is told through an
 * OBSERVER_FAILURE item, and the others run all the same (I12).
 */
export function runObservers(
  tx: Transaction,
  agent: AgentState,
  profile: CompiledProfile,
  when: ObserverPhase,
  ports: ObserverPorts,
): readonly ObserverRecord[] {
  const phase = when === 'pre' ? 'pre' : 'post';
  const observers = observersOf(profile, when);
  if (observers.length === 0) return none;
  const scope = agentScope(ports.env, tx.run, agent);
  const before = tx.run.counters.items;
  return observers.map((observer) => {
    if (tx.run.counters.items - before >= maxItemsPerPhase) return storm(agent, observer, phase);
    return runObserver(tx, agent, observer, phase, scope, ports);
  });
}

function observersOf(profile: CompiledProfile, when: ObserverPhase): readonly CompiledObserver[] {
  if (when === 'pre') return profile.preTurnObservers;
  return when === 'post' ? profile.postTurnObservers : profile.postTurnObservers.filter(speaksOfErrors);
}

/** An observer that did not run, because those before it had added too many items. */
function storm(agent: AgentState, observer: CompiledObserver, phase: 'pre' | 'post'): ObserverRecord {
  const message = `not run: the ${phase}-turn observers of ${agent.meta.profile} had already added ${maxItemsPerPhase} items in this turn`;
  return { id: observer.id, phase, fired: false, error: { code: 'OBSERVER_FAILED', message } };
}

function runObserver(
  tx: Transaction,
  agent: AgentState,
  observer: CompiledObserver,
  phase: 'pre' | 'post',
  scope: Scope,
  ports: ObserverPorts,
): ObserverRecord {
  const base = { id: observer.id, phase };
  try {
    const value = observer.condition === undefined ? true : observer.condition.evaluate(scope);
    const fired = isTruthy(value);
    const tools = fired ? act(tx, agent, observer, scope, { ports, phase }) : undefined;
    const seen = isScalar(value) && observer.condition !== undefined ? { value } : {};
    return { ...base, fired, ...seen, ...(tools === undefined ? {} : { tools }) };
  } catch (thrown) {
    const error = toErrorRecord(thrown, 'OBSERVER_FAILED');
    tx.post(agent.meta.agentId, {
      source: 'OBSERVER_FAILURE',
      payload: { failed_observer_id: observer.id, error_message: error.message },
      observerId: observer.id,
    });
    return { ...base, fired: false, error };
  }
}

function isScalar(value: unknown): value is JsonValue {
  return (
    value === null || typeof value === 'boolean' || typeof value === 'number' || (typeof value === 'string' && value.length <= 80)
  );
}

/** Does what an observer says; the answer is what it makes of the tools of the turn. */
function act(
  tx: Transaction,
  agent: AgentState,
  observer: CompiledObserver,
  scope: Scope,
  { ports, phase }: { readonly ports: ObserverPorts; readonly phase: ObserverRecord['phase'] },
): ToolBound | undefined {
  const { action } = observer;
  switch (action.type) {
    case 'add_to_inbox': {
      const { item } = action;
      tx.post(targetOf(tx.run, agent, action.target), {
        source: item.source,
        payload: item.payload.build(scope),
        consumption: item.consumption,
        observerId: observer.id,
        ...(item.priority === undefined ? {} : { priority: item.priority }),
        ...(item.maxTurns === undefined ? {} : { maxTurns: item.maxTurns }),
        ...(item.ingestorId === undefined ? {} : { ingestorId: item.ingestorId }),
        ...(item.ingestorParams === undefined ? {} : { ingestorParams: item.ingestorParams }),
        ...(action.target === 'self' ? {} : { from: agent.meta.agentId }),
      });
      break;
    }
    case 'update_state':
      for (const update of action.updates) updateState(tx, agent, observer.id, update.path, update, update.value?.build(scope));
      break;
    case 'call': {
      const coded = ports.observer(action.observer);
      if (coded === undefined) throw new Error(`there is no observer '${action.observer}'`);
      const results = resultsOf(
        action.observer,
        coded.observe({ run: readOnlyView(tx.run), agent: readOnlyView(agent), params: action.params }),
      );
      if (results.length > maxResults) throw new Error(`it wants ${results.length} things done at once; ${maxResults} are allowed`);
      const bounds = results.flatMap((result) => applyResult(tx, agent, observer.id, result, phase) ?? []);
      return boundOf(bounds.map((tools) => ({ id: observer.id, phase, fired: true, tools })));
    }
    case 'set_tool_choice':
    case 'filter_tools':
      return toBound(action, phase);
  }
  return undefined;
}

/** What an action makes of the tools of a turn; once the reply is there, it is too late for that. */
function toBound(
  action: Extract<ObserverResult, { type: 'set_tool_choice' | 'filter_tools' }>,
  phase: ObserverRecord['phase'],
): ToolBound {
  if (phase === 'post') throw new Error(`${action.type} is for observers that run before a turn`);
  if (action.type === 'set_tool_choice') return { choice: action.toolChoice };
  const { only, except } = action;
  return { ...(only === undefined ? {} : { only }), ...(except === undefined ? {} : { except }) };
}

function resultsOf(name: string, returned: unknown): readonly ObserverResult[] {
  if (returned instanceof Promise) returned.catch(() => undefined);
  if (Array.isArray(returned)) return returned as readonly ObserverResult[];
  throw new Error(
    `observer '${name}' must return a list, and return it at once; it returned ${returned instanceof Promise ? 'a promise' : typeof returned}`,
  );
}

function applyResult(
  tx: Transaction,
  agent: AgentState,
  observerId: string,
  result: ObserverResult,
  phase: ObserverRecord['phase'],
): ToolBound | undefined {
  if (result.type === 'set_tool_choice' || result.type === 'filter_tools') return toBound(result, phase);
  if (result.type === 'update_state') {
    updateState(tx, agent, observerId, result.path, result, result.value === undefined ? undefined : toWire(result.value));
    return undefined;
  }
  if (typeof result.source !== 'string' || result.source === '') throw new Error('an item needs a source');
  tx.post(targetOf(tx.run, agent, result.target ?? 'self'), { source: result.source, payload: toWire(result.payload), observerId });
  return undefined;
}

function updateState(
  tx: Transaction,
  agent: AgentState,
  by: string,
  path: string,
  update: Pick<StateUpdate, 'operation'>,
  value: JsonValue | undefined,
): void {
  const team = path.startsWith('team.');
  tx.emit({
    type: 'state.update',
    scope: team ? 'team' : 'agent',
    agentId: agent.meta.agentId,
    ...(agent.currentTurnId === undefined ? {} : { turnId: agent.currentTurnId }),
    operation: update.operation,
    path: team ? path.replace(/^team\.(shared\.)?/, '') : path.replace(/^state\./, ''),
    ...(value === undefined ? {} : { value }),
    by,
  });
}

/** The agent an observer speaks to; an ended or missing one is an error of the observer. */
function targetOf(run: RunState, agent: AgentState, target: string): AgentId {
  const id = resolveTarget(run, agent, target);
  const found = id === undefined ? undefined : run.agents.get(id);
  if (found === undefined)
    throw new CadreError(
      'AGENT_UNKNOWN',
      `target_agent_id '${target}' names no agent of this run; allowed: self, parent, partner, principal, or one of ${[...run.agents.keys()].join(', ')}`,
    );
  if (found.status === 'ended')
    throw new CadreError('AGENT_ENDED', `target_agent_id '${target}' (${found.meta.agentId}) has ended`);
  return found.meta.agentId;
}

function resolveTarget(run: RunState, agent: AgentState, target: string): AgentId | undefined {
  switch (target) {
    case 'self':
      return agent.meta.agentId;
    case 'parent':
      return agent.meta.parentAgentId;
    case 'partner':
    case 'principal':
      return run.latestOfType.get(target);
    default:
      return target as AgentId;
  }
}
