import type { TurnContext } from '../../core/turn-context.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import { emptyPlace } from '../../core/events/event.ts';
import { toErrorRecord } from '../../core/error.ts';
import type { DecidedAction } from '../../core/events/turn-parts.ts';
import type { Scope } from '../../core/expression/expression.ts';
import type { Template } from '../../core/expression/template.ts';
import { valuesRead } from '../../core/expression/values-read.ts';
import { callIdAt } from '../../core/fold/tool.ts';
import type { TurnId } from '../../core/ids.ts';
import { type CompiledRule, type DeciderAction, handlesErrors } from '../../core/profile/profile.ts';
import type { ItemTemplate } from '../../core/profile/template.ts';
import { quotedPayload } from '../../core/untrusted/quote-item.ts';
import { stateQuotes, stateReads } from '../../core/untrusted/quote-state.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { ItemDraft } from '../../core/events/transaction.ts';
import type { ReplyToolCall, RuleRecord, ObserverRecord } from '../../core/state/turn.ts';
import type { TurnPlan } from '../../core/profile/turn-plan.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { checkOutput, type Decided } from './check-output.ts';
import type { Action } from './node.ts';

/**
 * Asks the profile's flow decider what follows (A1.2): the first rule whose condition holds wins, and every rule that
 * was asked is on the record with what it saw. The action that was decided is committed as `turn.decide`.
 */
export function decideNext(context: TurnContext, plan: TurnPlan, turnId: TurnId, observers: readonly ObserverRecord[]): Action {
  const { tx, env, agent, profile } = context;
  const scope = agentScope(env, tx.run, agent);
  const modelEnd = tx.run.turns.get(turnId)?.modelEnd;
  const failed = modelEnd?.error !== undefined;
  const asked = failed ? profile.flowDecider.filter(handlesErrors) : profile.flowDecider;
  const { rules, decided } = askRules(context, scope, modelEnd, asked);
  const { action, item } = plan.output && !failed ? checkOutput(context, decided) : decided;
  tx.emit({
    type: 'turn.decide',
    agentId: agent.meta.agentId,
    turnId,
    observers,
    rules,
    action,
    runId: emptyPlace.runId,
    seq: emptyPlace.seq,
    at: emptyPlace.at,
    cause: emptyPlace.cause,
  });
  tx.cause = tx.run.seq;
  if (item !== undefined) tx.post(agent.meta.agentId, item);
  return action.type;
}

/**
 * Asks what follows a model call that failed (FAULTS M12, M13): the observers and rules whose condition names `turn.error`.
 * Without any, and in the last turn of an agent, the error ends it.
 */
export function decideOnError(context: TurnContext, plan: TurnPlan, turnId: TurnId): Action {
  const { tx, env, agent, profile } = context;
  const isAsked = profile.flowDecider.some(handlesErrors) || profile.postTurnObservers.some(handlesErrors);
  if (!isAsked || agent.limits.stage === 'last_turn') return 'error';
  return decideNext(context, plan, turnId, env.observe(tx, agent, profile, 'error'));
}

type EndedCall = TurnState['modelEnd'];

/**
 * Returns the first decision of a rule that holds, and the record of every rule asked. A rule whose texts cannot be put together counts as
 * one that does not hold, like one whose condition fails (I12).
 */
function askRules(
  context: TurnContext,
  scope: Scope,
  modelEnd: EndedCall,
  rules: readonly CompiledRule[],
): { readonly rules: readonly RuleRecord[]; readonly decided: Decided } {
  const asked: RuleRecord[] = [];
  for (const rule of rules) {
    const { id, condition } = rule;
    let matched = false;
    try {
      matched = condition === undefined || condition.test(scope);
      if (!matched) asked.push({ id, matched, values: valuesRead(condition, scope) });
      else {
        const decided = toDecided(context, scope, modelEnd, rule);
        // An exact copy, since it is kept with the turn and a grown array reserves room.
        return { rules: asked.length === 0 ? [{ id, matched }] : [...asked, { id, matched }], decided };
      }
    } catch (thrown) {
      const seen = matched ? {} : { values: valuesRead(condition, scope) };
      asked.push({ id, matched: false, ...seen, error: toErrorRecord(thrown, 'CONDITION_FAILED') });
    }
  }
  return { rules: asked.slice(), decided: toDecided(context, scope, modelEnd, undefined) };
}

function loopItem({ env, run, agent }: TurnContext, scope: Scope, rule: CompiledRule, item: ItemTemplate): ItemDraft {
  return {
    source: item.source,
    ...quotedPayload(env, { run, agent }, rule.id, { template: item.payload, scope }),
    consumption: item.consumption,
    ruleId: rule.id,
    ...(item.priority === undefined ? {} : { priority: item.priority }),
    ...(item.maxTurns === undefined ? {} : { maxTurns: item.maxTurns }),
    ...(item.ingestorId === undefined ? {} : { ingestorId: item.ingestorId }),
    ...(item.ingestorParams === undefined ? {} : { ingestorParams: item.ingestorParams }),
  };
}

/** The decided action as plain data, after what holds for every profile: limits, and calls that must exist. */
function toDecided(context: TurnContext, scope: Scope, modelEnd: EndedCall, winner: CompiledRule | undefined): Decided {
  const { agent } = context;
  const calls = modelEnd?.reply?.toolCalls ?? noCalls;
  if (agent.limits.stage === 'last_turn')
    return { action: { type: 'limit', outcome: 'limit', error: agent.limits.reason ?? 'limit reached' } };
  const failure = modelEnd?.error?.message;
  if (winner === undefined) return { action: withoutRule(agent, calls.length > 0, failure) };
  if (winner.action.type !== 'loop_with_inbox_item') return { action: actionOf(context, scope, winner, calls, failure) };
  const item = loopItem(context, scope, winner, winner.action.item);
  return { action: actionOf(context, scope, winner, calls, failure), item };
}

const noCalls: readonly never[] = [];

function actionOf(
  context: TurnContext,
  scope: Scope,
  winner: CompiledRule,
  calls: readonly ReplyToolCall[],
  failure: string | undefined,
): DecidedAction {
  const { agent } = context;
  const ruleId = winner.id;
  const { action } = winner;
  switch (action.type) {
    case 'continue_with_tool':
      if (calls.length === 0)
        return {
          type: 'end_agent_turn',
          ruleId,
          outcome: 'error',
          error: failure ?? `rule '${ruleId}' says continue_with_tool, but the reply has no tool call`,
        };
      return { type: action.type, ruleId, tools: calls.map((call) => call.name) };
    case 'end_agent_turn':
      return withSources(context, (fill) =>
        failure === undefined
          ? ending(agent, (text) => fill(text, scope), ruleId, action, calls.length > 0)
          : endingOnError((text) => fill(text, scope), ruleId, action, failure),
      );
    case 'call_tool':
      return forcedCall(context, scope, ruleId, action);
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

/** No rule held: calls run, words are the answer, and silence is an error, as a failed model call is. */
function withoutRule(agent: SubContext, hasCalls: boolean, failure: string | undefined): DecidedAction {
  if (failure !== undefined) return { type: 'end_agent_turn', outcome: 'error', error: failure };
  if (hasCalls) return { type: 'continue_with_tool' };
  if (agent.counters.emptyReplyStreak > 0)
    return { type: 'end_agent_turn', outcome: 'error', error: 'no rule of the flow decider matched, and the reply was empty' };
  return { type: 'end_agent_turn', outcome: 'success', output: agent.turn.lastReply };
}

function ending(
  agent: SubContext,
  fill: (text: Template) => string,
  ruleId: string,
  action: Extract<DeciderAction, { type: 'end_agent_turn' }>,
  hasCalls: boolean,
): DecidedAction {
  const output = filled(action.output, fill) ?? agent.turn.lastReply;
  const error = filled(action.errorMessage, fill);
  const silent = action.outcome === 'success' && action.output === undefined && agent.counters.emptyReplyStreak > 0 && !hasCalls;
  if (silent)
    return { type: action.type, ruleId, outcome: 'error', error: 'the model answered nothing, which is no success', output };
  return { type: action.type, ruleId, outcome: action.outcome, output, ...(error === undefined ? {} : { error }) };
}

/** Returns the ending after a failed call: without an answer of the model, it succeeds only with an output that the rule supplies. */
function endingOnError(
  fill: (text: Template) => string,
  ruleId: string,
  action: Extract<DeciderAction, { type: 'end_agent_turn' }>,
  failure: string,
): DecidedAction {
  const output = filled(action.output, fill);
  const base = { type: action.type, ruleId, ...(output === undefined ? {} : { output }) };
  if (action.outcome === 'success' && output !== undefined && output.trim() !== '') return { ...base, outcome: 'success' };
  const outcome = action.outcome === 'success' ? 'error' : action.outcome;
  return { ...base, outcome, error: filled(action.errorMessage, fill) ?? failure };
}

/** Fills in a text from state. */
type Fill = (text: Template, scope: Scope) => string;

/** Makes an action, and notes the untrusted sources of its texts. They stay as they are: its parent or user gets them as a result. */
function withSources({ env, run, agent }: TurnContext, make: (fill: Fill) => DecidedAction): DecidedAction {
  const reads = stateReads(env, { run, agent });
  const action = make((text, scope) => text.render(scope, reads.quote));
  const taint = reads.labels();
  return taint.length === 0 ? action : { ...action, taint };
}

function filled(text: Template | undefined, fill: (text: Template) => string): string | undefined {
  return text === undefined ? undefined : fill(text);
}

function forcedCall(
  { tx, env, run, agent }: TurnContext,
  scope: Scope,
  ruleId: string,
  action: Extract<DeciderAction, { type: 'call_tool' }>,
): DecidedAction {
  const reads = stateReads(env, { run, agent });
  const input = JSON.stringify(action.args.build(scope, reads.quote));
  const taint = reads.labels();
  const isShown = taint.length > 0 && env.catalog.get(action.tool)?.kind === 'transition';
  const quotes = stateQuotes(env, { run, agent }, ruleId);
  return {
    type: action.type,
    ruleId,
    tools: [action.tool],
    call: {
      callId: callIdAt(tx.run.counters.calls + 1),
      providerCallId: '',
      name: action.tool,
      wireName: env.catalog.wireName(action.tool),
      input,
      ...(isShown ? { shown: JSON.stringify(action.args.build(scope, quotes.quote)) } : {}),
    },
    ...(taint.length === 0 ? {} : { taint }),
  };
}
