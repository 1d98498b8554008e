import type { EventOf } from '../events/event.ts';
import type { TurnReserve } from '../events/turn-parts.ts';
import type { ModelAttempt, ModelOutcome, Usage } from '../model/model.ts';
import { addUsage, useOf } from '../model/usage.ts';
import type { RunContext } from '../state/run-context.ts';
import type { SubContext } from '../state/sub-context.ts';
import { type CallEnd, pay, reserve, type RestOfCall } from './budget.ts';
import { addUsage as countCall, addUse } from './run.ts';

/** Id under which the call for the run's title is charged. */
export const titleCall = 'title';

/** True when a model call is under way: its end is not on record. */
export function isCallOpen(run: RunContext, agent: SubContext, call: string): boolean {
  if (call === titleCall) return !run.isTitled;
  if (agent.context.compacting?.compactionId === call) return true;
  return agent.turn.currentId === call && run.turns.get(agent.turn.currentId)?.modelEnd === undefined;
}

/** Returns what is reserved for a model call that is under way. */
export function reserveOfCall(run: RunContext, agent: SubContext, call: string): TurnReserve | undefined {
  const charged = run.chargedCalls.get(call);
  if (charged !== undefined) return charged.reserve;
  if (agent.context.compacting?.compactionId === call) return agent.context.compacting.reserve;
  return agent.turn.currentId === call ? run.turns.get(agent.turn.currentId)?.start.reserve : undefined;
}

/** Charges attempts of a model call that is under way, or whose turn is over, and replaces its reservation. */
export function chargeAttempts(run: RunContext, agent: SubContext, event: EventOf<'model.reserve'>): void {
  const { call, attempts, reserve: reserved } = event;
  const { usage, cost, costAtLeast } = useOf(attempts);
  const isOpen = isCallOpen(run, agent, call);
  const before = run.chargedCalls.get(call);
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  // A call that lost its turn was charged an estimate, which its attempts replace.
  const estimated = isOpen ? undefined : before;
  pay(run, agent, {
    tokens: tokens - (estimated?.tokens ?? 0),
    // A cost that is unknown stays bounded by the reservation.
    cost: estimated !== undefined && cost === undefined ? 0 : costAtLeast - (estimated?.cost ?? 0),
    reserved: isOpen ? reserveOfCall(run, agent, call) : undefined,
  });
  agent.counters.tokensUsed += tokens - (estimated?.tokens ?? 0);
  for (const counted of [run.usage, agent.limits.usage]) {
    // The known part of a cost that is unknown counts, too.
    addUse(counted, { usage, cost: costAtLeast });
    if (cost === undefined) counted.costUnknown = true;
    if (!isOpen) counted.modelCalls += 1;
  }
  if (!isOpen) {
    run.chargedCalls.delete(call);
    return;
  }
  reserve(run, agent, reserved);
  run.chargedCalls.set(call, {
    attempts: [...(before?.attempts ?? []), ...attempts],
    tokens: (before?.tokens ?? 0) + tokens,
    cost: (before?.cost ?? 0) + costAtLeast,
    reserve: reserved,
  });
}

/** Returns what a model call used in all: its attempts charged so far, and those of its outcome. */
export function wholeUse(run: RunContext, call: string, outcome: ModelOutcome): CallEnd {
  const charged = run.chargedCalls.get(call);
  if (charged === undefined || charged.attempts.length === 0) return outcome;
  const before = useOf(charged.attempts);
  const whole = { usage: addUsage(before.usage, outcome.usage), attempts: [...charged.attempts.map(inOrder), ...outcome.attempts] };
  return before.cost === undefined || outcome.cost === undefined ? whole : { ...whole, cost: before.cost + outcome.cost };
}

/** Returns an attempt with its fields in one order: those of one that was read from a journal come in another one. */
function inOrder({ config, model, startedAt, ms, ...rest }: ModelAttempt): ModelAttempt {
  return { config, model, startedAt, ms, ...rest };
}

/** Counts the end of a model call in the usage of the run and the agent; returns what is left to charge of it. */
export function countRest(run: RunContext, agent: SubContext, call: string, end: CallEnd): RestOfCall {
  const rest = takeRest(run, call, end);
  countCall(run.usage, rest);
  countCall(agent.limits.usage, rest);
  return rest;
}

function takeRest(run: RunContext, call: string, end: CallEnd): RestOfCall {
  const { usage, cost, attempts } = end;
  const charged = run.chargedCalls.get(call);
  if (charged === undefined) return cost === undefined ? { usage, attempts, charged } : { usage, attempts, charged, cost };
  run.chargedCalls.delete(call);
  const before = useOf(charged.attempts);
  const rest = { usage: restOf(usage, before.usage), attempts, charged };
  // An unknown cost leaves the known parts charged.
  return cost === undefined ? rest : { ...rest, cost: Math.max(0, cost - before.costAtLeast) };
}

function restOf(all: Usage, charged: Usage): Usage {
  const rest: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  for (const key of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    const left = (all[key] ?? 0) - (charged[key] ?? 0);
    // Nothing is left where the last attempt was not counted: it is estimated.
    if (left > 0) rest[key] = left;
  }
  return rest;
}
