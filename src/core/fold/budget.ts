import type { EventOf } from '../events/event.ts';
import type { ModelAttempt } from '../model/model.ts';
import { activeAt } from '../state/run-time.ts';
import type { Budget, ModuleBudget } from '../state/budget.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import type { TurnState } from '../state/turn-state.ts';
import { estimateTokens } from '../prompt/token-estimate.ts';
import type { TurnStart } from '../events/turn-events.ts';

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
  readonly reserved: TurnStart['reserve'];
}

/** Counts the use of a model call, and gives its reservation back. */
function pay(run: RunContext, agent: SubContext, { tokens, cost, reserved }: Use): void {
  for (const budget of budgetsOf(run, agent)) {
    budget.tokens += tokens;
    budget.cost += cost;
    if (reserved === undefined) continue;
    budget.reservedTokens -= reserved.tokens;
    budget.reservedCost -= reserved.cost ?? 0;
    budget.reserving -= 1;
    // Sums of fractions do not return to exactly zero.
    if (budget.reserving === 0) budget.reservedCost = 0;
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
export function reserve(run: RunContext, agent: SubContext, reserved: EventOf<'turn.start'>['reserve']): void {
  if (reserved === undefined) return;
  for (const budget of budgetsOf(run, agent)) {
    budget.reservedTokens += reserved.tokens;
    budget.reservedCost += reserved.cost ?? 0;
    budget.reserving += 1;
  }
}

/** Releases the reservation of a model call, once its usage is known or nothing waits for it. */
export function release(run: RunContext, agent: SubContext, { start }: { readonly start: Pick<TurnStart, 'reserve'> }): void {
  if (start.reserve !== undefined) pay(run, agent, { tokens: 0, cost: 0, reserved: start.reserve });
}

/** Counts the use of a summariser's call, estimating what its provider did not count. Returns its tokens. */
export function spendOnSummary(run: RunContext, agent: SubContext, event: EventOf<'compaction.end'>): number {
  const answered = event.attempts.some(({ firstTokenMs }) => firstTokenMs !== undefined);
  const { inputTokens = answered ? (agent.context.compacting?.tokens ?? 0) : 0, outputTokens = event.headTokens ?? 0 } =
    event.usage;
  const tokens = inputTokens + outputTokens;
  const cost = event.cost ?? (tokens === 0 ? 0 : (agent.context.compacting?.reserve?.cost ?? 0));
  pay(run, agent, { tokens, cost, reserved: undefined });
  return tokens;
}

/** A model call that has ended, with its turn. */
interface EndedCall {
  readonly turn: TurnState;
  readonly event: EventOf<'model.end'>;
}

/** Counts the use of a model call and releases its reservation; returns its tokens. */
export function spend(run: RunContext, agent: SubContext, call: EndedCall): number {
  const { turn, event } = call;
  const { reserve: reserved } = turn.start;
  const tokens = tokensOf(call);
  const cost = event.cost ?? (tokens === 0 ? 0 : (reserved?.cost ?? 0));
  pay(run, agent, { tokens, cost, reserved });
  return tokens;
}

/**
 * Counts a model call without an outcome because its turn was ended meanwhile: the prompt was sent, and the reservation bounds
 * its cost. Returns its tokens.
 */
export function spendUnanswered(run: RunContext, agent: SubContext, { start }: Pick<TurnState, 'start'>): number {
  if (start.reserve === undefined) return 0;
  const tokens = start.prompt?.tokens ?? 0;
  pay(run, agent, { tokens, cost: start.reserve.cost ?? 0, reserved: undefined });
  return tokens;
}

/** Counts a turn or a tool call of an agent's work module. */
export function countOfModule(run: RunContext, agent: SubContext, what: 'turns' | 'toolCalls'): void {
  const module = moduleOf(run, agent);
  if (module !== undefined) module[what] += 1;
}

/** Returns the tokens of a call as its provider counted them, estimating missing counts. */
function tokensOf({ turn: { start }, event }: EndedCall): number {
  const { usage, reply, attempts } = event;
  const { inputTokens, outputTokens } = usage;
  if (inputTokens !== undefined && outputTokens !== undefined) return inputTokens + outputTokens;
  const answered = start.reserve === undefined ? attempts.filter(hasBegun).length : promptsSent(event);
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
