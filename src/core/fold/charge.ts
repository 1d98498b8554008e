import type { EventOf } from '../events/event.ts';
import type { TurnReserve } from '../events/turn-parts.ts';
import type { TurnId } from '../ids.ts';
import type { ModelAttempt, ModelOutcome } from '../model/model.ts';
import { addUsage, restOfCall, type Use, useOf } from '../model/usage.ts';
import type { RunContext } from '../state/run-context.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { ChargedAttempts } from '../state/turn-state.ts';
import { type CallEnd, pay, reserve, type RestOfCall, type Sharing } from './budget.ts';
import { addUsage as countCall, addUse, takeUse } from './usage.ts';

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

/** Charges attempts of a model call that is under way, or that is over without an outcome, and replaces its reservation. */
export function chargeAttempts(run: RunContext, agent: SubContext, event: EventOf<'model.reserve'>): void {
  const { call, attempts, reserve: reserved, replaces } = event;
  const { usage, cost, costAtLeast } = useOf(attempts);
  const isOpen = isCallOpen(run, agent, call);
  const before = run.chargedCalls.get(call);
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  // A call that lost its turn was charged an estimate, which its attempts replace.
  const estimated = isOpen ? undefined : before;
  const sharing = sharingOf(call);
  pay(
    run,
    agent,
    {
      tokens: tokens - (estimated?.tokens ?? 0),
      // A cost that is unknown stays bounded by the reservation.
      cost: estimated !== undefined && cost === undefined ? 0 : costAtLeast - (estimated?.cost ?? 0),
      reserved: isOpen ? reserveOfCall(run, agent, call) : undefined,
    },
    sharing,
  );
  if (call !== titleCall) agent.counters.tokensUsed += tokens - (estimated?.tokens ?? 0);
  for (const counted of call === titleCall ? [run.usage] : [run.usage, agent.limits.usage]) {
    if (replaces !== undefined) takeUse(counted, replaces);
    // The known part of a cost that is unknown counts, too.
    addUse(counted, { usage, cost: costAtLeast });
    if (cost === undefined) counted.costUnknown = true;
    if (!isOpen && replaces === undefined) counted.modelCalls += 1;
  }
  noteInTurn(run, event);
  if (!isOpen) {
    run.chargedCalls.delete(call);
    return;
  }
  reserve(run, agent, reserved, sharing);
  run.chargedCalls.set(call, {
    attempts: [...(before?.attempts ?? []), ...attempts],
    tokens: (before?.tokens ?? 0) + tokens,
    cost: (before?.cost ?? 0) + costAtLeast,
    reserve: reserved,
  });
}

/** Keeps charged attempts with their turn, whose record shows them before the call ends, and when it never does. */
function noteInTurn(run: RunContext, event: EventOf<'model.reserve'>): void {
  const turn = run.turns.get(event.call as TurnId);
  if (turn !== undefined) turn.charged = withAttempts(turn.charged, event);
}

/** Adds the attempts that an event charged to those before. */
export function withAttempts(
  before: ChargedAttempts | undefined,
  { attempts, replaces }: EventOf<'model.reserve'>,
): ChargedAttempts {
  return {
    attempts: [...(before?.attempts ?? []), ...attempts],
    isEstimateReplaced: replaces !== undefined || before?.isEstimateReplaced === true,
  };
}

/** The title belongs to the run, beside the work of its agents: it takes no agent's share. */
function sharingOf(call: string): Sharing {
  return call === titleCall ? 'beside' : 'share';
}

/** End of a model call as its event has it. */
export interface RecordedEnd extends CallEnd {
  /** Number of its first attempts that were charged before. */
  readonly charged?: number;
}

/** Returns what a model call used in all: its attempts charged so far, and those of its outcome. */
export function wholeUse(run: RunContext, call: string, { usage, cost, attempts }: Omit<ModelOutcome, 'kind'>): RecordedEnd {
  const made = run.chargedCalls.get(call)?.attempts ?? [];
  if (made.length === 0) return cost === undefined ? { usage, attempts } : { usage, cost, attempts };
  const before = useOf(made);
  const whole = { usage: addUsage(before.usage, usage), attempts: [...made.map(inOrder), ...attempts], charged: made.length };
  return before.cost === undefined || cost === undefined ? whole : { ...whole, cost: before.cost + cost };
}

/** Returns an attempt with its fields in one order: those of one that was read from a journal come in another one. */
function inOrder({ config, model, startedAt, ms, ...rest }: ModelAttempt): ModelAttempt {
  return { config, model, startedAt, ms, ...rest };
}

/** Counts the end of a model call in the usage of the run and the agent; returns what is left to charge of it. */
export function countRest(run: RunContext, agent: SubContext, call: string, end: RecordedEnd): RestOfCall {
  const rest = takeRest(run, call, end);
  countCall(run.usage, rest);
  countCall(agent.limits.usage, rest);
  return rest;
}

function takeRest(run: RunContext, call: string, end: RecordedEnd): RestOfCall {
  const charged = run.chargedCalls.get(call);
  if (charged !== undefined) run.chargedCalls.delete(call);
  const { attempts } = end;
  const { usage, cost } = end.charged === undefined ? end : restOfCall(end);
  return cost === undefined ? { usage, attempts, charged } : { usage, attempts, charged, cost };
}

/** Counts the call for the run's title, which draws on the budgets of the first agent beside the agent's own calls. */
export function endTitle(run: RunContext, event: EventOf<'run.title'>): void {
  const rest = takeRest(run, titleCall, event);
  countCall(run.usage, rest);
  const root = run.rootAgentId === undefined ? undefined : run.agents.get(run.rootAgentId);
  if (root === undefined) return;
  const tokens = (rest.usage.inputTokens ?? 0) + (rest.usage.outputTokens ?? 0);
  const reserved = rest.charged?.reserve;
  pay(run, root, { tokens, cost: rest.cost ?? (tokens === 0 ? 0 : (reserved?.cost ?? 0)), reserved }, 'beside');
}

/**
 * Counts a model call that is over without an outcome, because its turn or its agent has ended: an estimate, and its reservation in the
 * budgets, which bounds its cost. Its attempts replace both, if they come. Returns its tokens.
 */
export function countUnanswered(run: RunContext, agent: SubContext, call: string, estimate: Use | undefined): number {
  const reserved = reserveOfCall(run, agent, call);
  run.chargedCalls.delete(call);
  if (reserved === undefined || estimate === undefined) return 0;
  const tokens = (estimate.usage.inputTokens ?? 0) + (estimate.usage.outputTokens ?? 0);
  const cost = reserved.cost ?? 0;
  pay(run, agent, { tokens, cost, reserved });
  for (const counted of [run.usage, agent.limits.usage]) {
    addUse(counted, estimate);
    counted.modelCalls += 1;
  }
  run.chargedCalls.set(call, { attempts: [], tokens, cost, reserve: undefined, estimate });
  return tokens;
}
