import type { TurnContext } from '../core/turn-context.ts';
import { agentScope } from '../core/state/agent-scope.ts';
import type { CodedObserver, ObserverPhase } from '../core/env.ts';
import { toErrorRecord } from '../core/error.ts';
import { isTruthy } from '../core/expression/data.ts';
import type { Scope } from '../core/expression/expression.ts';
import type { JsonValue } from '../core/json.ts';
import { type CompiledObserver, type CompiledProfile, handlesErrors } from '../core/profile/profile.ts';
import type { ContentHash } from '../core/ids.ts';
import { quotedPayload } from '../core/untrusted/quote-item.ts';
import { everySource } from '../core/untrusted/scope-origins.ts';
import type { Secrets } from '../core/secrets/secrets.ts';
import type { SubContext } from '../core/state/sub-context.ts';
import type { ToolBound, ObserverRecord } from '../core/state/turn.ts';
import type { TurnViewEnv } from '../core/state/turn-view.ts';
import { callObserver, toBound } from './call-observer.ts';
import { targetOf } from './observer-target.ts';
import { updateInTurn } from './update-state-action.ts';

/** Most items the observers of one phase may add; more is a storm, and is cut off with a note. */
const maxItemsPerPhase = 16;

const none: readonly ObserverRecord[] = [];

/** Dependencies of observers besides state. */
export interface ObserverPorts {
  /** Environment for the roots of conditions. */
  readonly env: TurnViewEnv;
  readonly observer: (name: string) => CodedObserver | undefined;
  /** Secrets to redact from records. */
  readonly secrets: Secrets;
  readonly hash: (text: string) => ContentHash;
}

/**
 * Runs a profile's observers before or after a turn (A1.2). A failure is recorded and reported to the model through an
 * OBSERVER_FAILURE item; the other observers still run (I12).
 */
export function runObservers(context: TurnContext, when: ObserverPhase, ports: ObserverPorts): readonly ObserverRecord[] {
  const { tx, agent, profile } = context;
  const phase = when === 'pre' ? 'pre' : 'post';
  const observers = observersOf(profile, when);
  if (observers.length === 0) return none;
  const scope = agentScope(ports.env, tx.run, agent);
  const before = tx.run.counters.items;
  return observers.map((observer) => {
    if (tx.run.counters.items - before >= maxItemsPerPhase) return storm(agent, observer, phase);
    return runObserver(context, observer, phase, scope, ports);
  });
}

function observersOf(profile: CompiledProfile, when: ObserverPhase): readonly CompiledObserver[] {
  if (when === 'pre') return profile.preTurnObservers;
  return when === 'post' ? profile.postTurnObservers : profile.postTurnObservers.filter(handlesErrors);
}

/** An observer that did not run, because those before it had added too many items. */
function storm(agent: SubContext, observer: CompiledObserver, phase: 'pre' | 'post'): ObserverRecord {
  const message = `not run: the ${phase}-turn observers of ${agent.meta.profile} had already added ${maxItemsPerPhase} items in this turn`;
  return { id: observer.id, phase, fired: false, error: { code: 'OBSERVER_FAILED', message } };
}

function runObserver(
  context: TurnContext,
  observer: CompiledObserver,
  phase: 'pre' | 'post',
  scope: Scope,
  ports: ObserverPorts,
): ObserverRecord {
  const { tx, agent } = context;
  const base = { id: observer.id, phase };
  try {
    const value = observer.condition === undefined ? true : observer.condition.evaluate(scope);
    const fired = isTruthy(value);
    const tools = fired ? act(context, observer, scope, { ports, phase }) : undefined;
    const seen = isScalar(value) && observer.condition !== undefined ? { value } : {};
    return { ...base, fired, ...seen, ...(tools === undefined ? {} : { tools }) };
  } catch (thrown) {
    const error = toErrorRecord(thrown, 'OBSERVER_FAILED');
    // What code throws may quote any state it could read.
    const taint = everySource(ports.env, { run: tx.run, agent });
    tx.post(agent.meta.agentId, {
      source: 'OBSERVER_FAILURE',
      payload: { failed_observer_id: observer.id, error_message: error.message },
      observerId: observer.id,
      ...(taint.length === 0 ? {} : { trust: 'untrusted' as const, taint }),
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
  context: TurnContext,
  observer: CompiledObserver,
  scope: Scope,
  { ports, phase }: { readonly ports: ObserverPorts; readonly phase: ObserverRecord['phase'] },
): ToolBound | undefined {
  const { tx, agent } = context;
  const { action } = observer;
  switch (action.type) {
    case 'add_to_inbox': {
      const { item } = action;
      const env = { profiles: ports.env.profiles, hash: ports.hash };
      const quoted = quotedPayload(env, { run: tx.run, agent }, observer.id, { template: item.payload, scope });
      tx.post(targetOf(tx.run, agent, action.target), {
        source: item.source,
        ...quoted,
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
      updateInTurn(context, observer.id, action.updates, ports.env);
      break;
    case 'call':
      return callObserver(context, { id: observer.id, name: action.observer, params: action.params, phase }, ports);
    case 'set_tool_choice':
    case 'filter_tools':
      return toBound(action, phase);
  }
  return undefined;
}
