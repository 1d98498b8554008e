import { agentScope } from '../core/agent-scope.ts';
import type { Env } from '../core/env.ts';
import { toErrorRecord } from '../core/error.ts';
import type { DecidedAction } from '../core/turn-events.ts';
import type { Scope } from '../core/expression/expression.ts';
import { readPath } from '../core/expression/read-path.ts';
import { callIdAt } from '../core/fold/tool.ts';
import type { TurnId } from '../core/ids.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { CompiledProfile, CompiledRule, DeciderAction } from '../core/profile.ts';
import type { AgentState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import type { ObserverRecord, RuleRecord } from '../core/turn.ts';
import type { Action } from './node.ts';

/**
 * Asks the profile's flow decider what follows (A1.2): the first rule whose condition holds wins, and every rule that
 * was asked is on the record with what it saw. The action that was decided is committed as `turn.decide`.
 */
export function decideNext(
  tx: Transaction,
  env: Env,
  agent: AgentState,
  profile: CompiledProfile,
  turnId: TurnId,
  observers: readonly ObserverRecord[],
): Action {
  const scope = agentScope(tx.run, agent);
  const { rules, winner } = askRules(profile.flowDecider, scope);
  const action = settle(tx, env, agent, scope, turnId, winner);
  tx.emit({ type: 'turn.decide', agentId: agent.meta.agentId, turnId, observers, rules, action });
  tx.setCause(tx.run.seq);
  if (action.type === 'loop_with_inbox_item' && winner?.action.type === 'loop_with_inbox_item') {
    const { item } = winner.action;
    tx.post(agent.meta.agentId, {
      source: item.source,
      payload: item.payload.build(scope),
      consumption: item.consumption,
      ruleId: winner.id,
      ...(item.priority === undefined ? {} : { priority: item.priority }),
      ...(item.ingestorId === undefined ? {} : { ingestorId: item.ingestorId }),
      ...(item.ingestorParams === undefined ? {} : { ingestorParams: item.ingestorParams }),
    });
  }
  return action.type;
}

function askRules(rules: readonly CompiledRule[], scope: Scope): { readonly rules: readonly RuleRecord[]; readonly winner: CompiledRule | undefined } {
  const asked: RuleRecord[] = [];
  for (const rule of rules) {
    const record = askRule(rule, scope);
    asked.push(record);
    if (record.matched) return { rules: asked.slice(), winner: rule };
  }
  return { rules: asked.slice(), winner: undefined };
}

function askRule(rule: CompiledRule, scope: Scope): RuleRecord {
  if (rule.condition === undefined) return { id: rule.id, matched: true };
  try {
    const matched = rule.condition.test(scope);
    return matched ? { id: rule.id, matched } : { id: rule.id, matched, values: valuesOf(rule.condition.paths, scope) };
  } catch (thrown) {
    return { id: rule.id, matched: false, values: valuesOf(rule.condition.paths, scope), error: toErrorRecord(thrown, 'CONDITION_FAILED') };
  }
}

/** What a condition read, small enough for the record: scalars as they are, the rest by its size. */
function valuesOf(paths: readonly string[], scope: Scope): Readonly<Record<string, JsonValue>> {
  const values: Record<string, JsonValue> = {};
  for (const path of paths) values[path] = shown(readPath(scope, path));
  return values;
}

function shown(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value.length > 80 ? `${value.slice(0, 80)}…` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return `list of ${value.length}`;
  return isJsonObject(value) ? `map of ${Object.keys(value).length}` : typeof value;
}

/** The decided action as plain data, after what holds for every profile: limits, and calls that must exist. */
function settle(tx: Transaction, env: Env, agent: AgentState, scope: Scope, turnId: TurnId, winner: CompiledRule | undefined): DecidedAction {
  const calls = tx.run.turns.get(turnId)?.modelEnd?.reply?.toolCalls ?? [];
  if (agent.limitStage === 2) return { type: 'limit', outcome: 'limit', error: agent.limitReason ?? 'limit reached' };
  if (winner === undefined) return withoutRule(agent, calls.length > 0);
  const ruleId = winner.id;
  const { action } = winner;
  switch (action.type) {
    case 'continue_with_tool':
      if (calls.length === 0) return { type: 'end_agent_turn', ruleId, outcome: 'error', error: `rule '${ruleId}' says continue_with_tool, but the reply has no tool call` };
      return { type: action.type, ruleId, tools: calls.map((call) => call.name) };
    case 'end_agent_turn':
      return ending(agent, scope, ruleId, action, calls.length > 0);
    case 'call_tool':
      return forcedCall(tx, env, scope, ruleId, action);
    case 'await':
      return { type: action.type, ruleId, on: action.on };
    case 'set_tool_choice':
      return { type: action.type, ruleId, toolChoice: action.toolChoice };
    case 'loop_with_inbox_item':
    case 'await_user_input':
    case 'retry_turn':
      return { type: action.type, ruleId };
  }
}

/** No rule held: calls run, words are the answer, and silence is an error. */
function withoutRule(agent: AgentState, hasCalls: boolean): DecidedAction {
  if (hasCalls) return { type: 'continue_with_tool' };
  if (agent.counters.emptyReplyStreak > 0) return { type: 'end_agent_turn', outcome: 'error', error: 'no rule of the flow decider matched, and the reply was empty' };
  return { type: 'end_agent_turn', outcome: 'success', output: agent.lastReply };
}

function ending(agent: AgentState, scope: Scope, ruleId: string, action: Extract<DeciderAction, { type: 'end_agent_turn' }>, hasCalls: boolean): DecidedAction {
  const output = action.output?.render(scope) ?? agent.lastReply;
  const error = action.errorMessage?.render(scope);
  const silent = action.outcome === 'success' && action.output === undefined && agent.counters.emptyReplyStreak > 0 && !hasCalls;
  if (silent) return { type: action.type, ruleId, outcome: 'error', error: 'the model answered nothing, which is no success', output };
  return { type: action.type, ruleId, outcome: action.outcome, output, ...(error === undefined ? {} : { error }) };
}

function forcedCall(tx: Transaction, env: Env, scope: Scope, ruleId: string, action: Extract<DeciderAction, { type: 'call_tool' }>): DecidedAction {
  return {
    type: action.type,
    ruleId,
    tools: [action.tool],
    call: {
      callId: callIdAt(tx.run.counters.calls + 1),
      providerCallId: '',
      name: action.tool,
      wireName: env.catalog.wireName(action.tool),
      input: JSON.stringify(action.args.build(scope)),
    },
  };
}
