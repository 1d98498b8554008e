import type { EventOf } from '../events/event.ts';
import type { ModelAttempt, Usage } from '../model/model.ts';
import { activeAt } from '../state/run-time.ts';
import type { Budget, ChargedCall, ModuleBudget } from '../state/budget.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import type { TurnState } from '../state/turn-state.ts';
import { estimateTokens } from '../prompt/token-estimate.ts';
import type { TurnReserve } from '../events/turn-parts.ts';

/** Returns an unused budget. */
export function newBudget(): Budget {
  return { tokens: 0, cost: 0, reservedTokens: 0, reservedCost: 0, live: 0, reserving: 0, agents: 0 };
}

/** Returns the parent of an agent, if any. */
export function parentOf(run: RunContext, agent: SubContext): SubContext | undefined {
  const { parentAgentId } = agent.meta;
  return parentAgentId === undefined ? undefined : run.agents.get(parentAgentId);
}

/** Returns the budget of the work module that an agent, or an agent above it, works on. */
export function moduleOf(run: RunContext, agent: SubContext): ModuleBudget | undefined {
  return agent.work.moduleScope === undefined ? undefined : run.moduleBudgets.get(agent.work.moduleScope);
}

/** Returns every budget an agent draws on: its own, those of all agents above it, its work module's, and the run's. */
function budgetsOf(run: RunContext, agent: SubContext): readonly Budget[] {
  const { parentAgentId } = agent.meta;
  if (parentAgentId === undefined && agent.work.moduleScope === undefined) return [agent.limits.budget, run.budget];
  const budgets: Budget[] = [run.budget];
  for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above))
    budgets.push(above.limits.budget);
  const module = moduleOf(run, agent);
  if (module !== undefined) budgets.push(module);
  return budgets;
}

/** Use of a model call, and the reservation that it held. */
interface Use {
  readonly tokens: number;
  readonly cost: number;
  readonly reserved: TurnReserve | undefined;
}

/** Whether a call takes its agent's share of the budgets, or is made beside it. */
export type Sharing = 'share' | 'beside';

/** Counts the use of a model call, and gives its reservation back. */
export function pay(run: RunContext, agent: SubContext, { tokens, cost, reserved }: Use, sharing: Sharing = 'share'): void {
  for (const budget of budgetsOf(run, agent)) {
    budget.tokens += tokens;
    budget.cost += cost;
    if (reserved === undefined) continue;
    budget.reservedTokens -= reserved.tokens;
    budget.reservedCost -= reserved.cost ?? 0;
    if (sharing === 'share') budget.reserving -= 1;
    // Sums of fractions do not return to exactly zero.
    if (budget.reservedTokens === 0) budget.reservedCost = 0;
  }
}

/** Counts a new agent. */
export function countAgent(run: RunContext, agent: SubContext): void {
  const module = agent.work.moduleScope;
  if (module !== undefined && !run.moduleBudgets.has(module))
    run.moduleBudgets.set(module, { ...newBudget(), turns: 0, toolCalls: 0, activeMs: 0, workingSince: undefined });
  for (const budget of budgetsOf(run, agent)) budget.agents += 1;
}

/** Counts an agent that starts work (+1), or stops because it is held or has ended (-1). */
export function countLive(run: RunContext, agent: SubContext, { by, at }: { readonly by: 1 | -1; readonly at: number }): void {
  for (const budget of budgetsOf(run, agent)) budget.live += by;
  const module = moduleOf(run, agent);
  if (module === undefined) return;
  if (by > 0) module.workingSince ??= activeAt(run, at);
  else if (module.live === 0 && module.workingSince !== undefined) {
    module.activeMs += activeAt(run, at) - module.workingSince;
    module.workingSince = undefined;
  }
}

/** Reserves the upper bound of a model call. */
export function reserve(run: RunContext, agent: SubContext, reserved: TurnReserve | undefined, sharing: Sharing = 'share'): void {
  if (reserved === undefined) return;
  for (const budget of budgetsOf(run, agent)) {
    budget.reservedTokens += reserved.tokens;
    budget.reservedCost += reserved.cost ?? 0;
    if (sharing === 'share') budget.reserving += 1;
  }
}

/** The end of a model call: its use in all. */
export interface CallEnd {
  readonly usage: Usage;
  readonly cost?: number;
  readonly attempts: readonly ModelAttempt[];
}

/** What the end of a model call adds to its attempts that are charged already. */
export interface RestOfCall extends CallEnd {
  readonly charged: ChargedCall | undefined;
}

/** Counts what is left of a summariser's call, estimating what its provider did not count, and releases its reservation. Returns its tokens. */
export function spendOnSummary(run: RunContext, agent: SubContext, { event, rest }: EndedSummary): number {
  const start = agent.context.compacting;
  const reserved = rest.charged === undefined ? start?.reserve : rest.charged.reserve;
  const answered = event.head !== undefined || (rest.charged === undefined && event.attempts.some(hasBegun));
  const { inputTokens = answered ? (start?.tokens ?? 0) : 0, outputTokens = event.headTokens ?? 0 } = rest.usage;
  const tokens = inputTokens + outputTokens;
  pay(run, agent, { tokens, cost: rest.cost ?? (tokens === 0 ? 0 : (reserved?.cost ?? 0)), reserved });
  return tokens;
}

/** A summariser's call that has ended. */
interface EndedSummary {
  readonly event: EventOf<'compaction.end'>;
  readonly rest: RestOfCall;
}

/** A model call that has ended, with its turn. */
interface EndedCall {
  readonly turn: TurnState;
  readonly event: EventOf<'model.end'>;
  /** What its attempts have not been charged yet. */
  readonly rest: RestOfCall;
}

/** Counts what is left of a model call and releases its reservation; returns its tokens. */
export function spend(run: RunContext, agent: SubContext, call: EndedCall): number {
  const { turn, rest } = call;
  const reserved = rest.charged === undefined ? turn.start.reserve : rest.charged.reserve;
  const tokens = tokensOf(call);
  pay(run, agent, { tokens, cost: rest.cost ?? (tokens === 0 ? 0 : (reserved?.cost ?? 0)), reserved });
  return tokens;
}

/** Counts a turn or a tool call of an agent's work module. */
export function countOfModule(run: RunContext, agent: SubContext, what: 'turns' | 'toolCalls'): void {
  const module = moduleOf(run, agent);
  if (module !== undefined) module[what] += 1;
}

/** Returns the tokens left of a call as its provider counted them, estimating missing counts. */
function tokensOf({ turn: { start }, event, rest }: EndedCall): number {
  const { reply, attempts } = event;
  const { inputTokens, outputTokens } = rest.usage;
  if (inputTokens !== undefined && outputTokens !== undefined) return inputTokens + outputTokens;
  if (rest.charged !== undefined && reply === undefined) return (inputTokens ?? 0) + (outputTokens ?? 0);
  const answered =
    rest.charged !== undefined ? 1 : start.reserve === undefined ? attempts.filter(hasBegun).length : promptsSent(event);
  if (answered === 0) return (inputTokens ?? 0) + (outputTokens ?? 0);
  const said =
    reply === undefined
      ? (attempts.at(-1)?.partialText ?? '')
      : reply.text + reply.reasoning + reply.toolCalls.map((call) => call.input).join('');
  return (inputTokens ?? answered * (start.prompt?.tokens ?? 0)) + (outputTokens ?? estimateTokens(said));
}

/**
 * Returns how often a prompt was sent: once for each attempt that was answered, or aborted while the provider worked on it. A
 * call that was interrupted and lost with its process counts as one.
 */
function promptsSent({ attempts, error }: EventOf<'model.end'>): number {
  if (attempts.length === 0) return error?.code === 'MODEL_INTERRUPTED' ? 1 : 0;
  return attempts.filter((attempt) => hasBegun(attempt) || attempt.error?.code === 'MODEL_ABORTED').length;
}

function hasBegun({ firstTokenMs }: ModelAttempt): boolean {
  return firstTokenMs !== undefined;
}
