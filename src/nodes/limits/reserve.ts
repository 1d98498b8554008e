import type { TurnContext } from '../../core/turn-context.ts';
import { usesModel } from '../../core/profile/profile.ts';
import type { Env } from '../../core/env.ts';
import { moduleOf, parentOf } from '../../core/fold/budget.ts';
import { defaultOutputTokens, type LlmConfig } from '../../core/model/llm-config.ts';
import { highestPrice, type ModelPrice, priceAt, type TokenPrice } from '../../core/model/model-price.ts';
import type { Budget } from '../../core/state/budget.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnReserve } from '../../core/events/turn-parts.ts';
import { moduleLimits, type ReachedLimit, shown, type SpendLimits, spendLimits } from './limits.ts';

/*
 * What a model call may use is set aside before it is made, in every budget its agent draws on: its own, those of the agents
 * above it, its work module's and the run's. What is left of a budget is shared out over the agents at work below it that hold
 * nothing yet, so that parallel children never use more than there is, and none uses up what its siblings need.
 */

/** Replies shorter than these are of no use: to a turn with tools, and to the last one. */
const leastOutput = 128;
const leastLastOutput = 64;

/** Size of a model call: its estimated prompt and its LLM config. */
export interface CallSize {
  readonly prompt: number;
  readonly config: Pick<LlmConfig, 'maxOutputTokens' | 'price'> | undefined;
}

/** Verdict of the budgets on a model call: a usual turn, a last one, or none; and the budget that decides. */
export interface BudgetVerdict {
  readonly outcome: 'fits' | 'last_turn' | 'refused';
  readonly reserve?: TurnReserve;
  /** The tightest budget, when the call does not fit. */
  readonly limit?: ReachedLimit | undefined;
}

/** Checks that a turn's model call fits the remaining budgets, with a last turn kept in reserve. */
export function judgeTurn(context: Pick<TurnContext, 'env' | 'run' | 'agent'>, size: CallSize): BudgetVerdict {
  const { env, run, agent } = context;
  const { prompt, config } = size;
  const wanted = config?.maxOutputTokens ?? defaultOutputTokens;
  if (hasAmpleRoom(context, prompt, config)) return { outcome: 'fits', reserve: reserveOf(size, wanted, wanted) };
  const room = new Room(env, run, agent, size);
  const output = Math.min(wanted, room.usual);
  if (output >= Math.min(wanted, leastOutput)) return { outcome: 'fits', reserve: reserveOf(size, output, wanted) };
  const last = lastVerdict(size, room, wanted);
  return { ...last, limit: room.tightest };
}

/**
 * True when every budget has room for a usual turn with the longest possible reply, the common case; false proves
 * nothing and calls for the exact check. It must never be true where `Room` finds less, so it asks for one token more.
 */
export function hasAmpleRoom(
  context: Pick<TurnContext, 'env' | 'run' | 'agent'>,
  prompt: number,
  config: CallSize['config'],
): boolean {
  const { env, run, agent } = context;
  const output = (config?.maxOutputTokens ?? defaultOutputTokens) + 1;
  const tokens = 2 * prompt + leastLastOutput + 2 * output;
  const price = config?.price === undefined ? undefined : priceOf(config.price, prompt);
  const cost =
    price === undefined ? undefined : ((2 * prompt + output) * price.input + (leastLastOutput + output) * price.output) / 1_000_000;
  for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above))
    if (!isAmple(above.limits.budget, spendLimits(env, above), tokens, cost)) return false;
  if (agent.work.moduleScope !== undefined) {
    const module = moduleOf(run, agent);
    if (module !== undefined && !isAmple(module, moduleLimits(context) ?? {}, tokens, cost)) return false;
  }
  return isAmple(run.budget, run.limits, tokens, cost);
}

/** True when the rest of a budget covers the need of every agent that shares it. */
function isAmple(budget: Budget, { maxTokens, maxCostUsd }: SpendLimits, tokens: number, cost: number | undefined): boolean {
  const sharers = Math.max(1, budget.live - budget.reserving);
  if (maxTokens !== undefined && maxTokens - budget.tokens - budget.reservedTokens < tokens * sharers) return false;
  return maxCostUsd === undefined || cost === undefined || maxCostUsd - budget.cost - budget.reservedCost >= cost * sharers;
}

/** Checks that a last turn's model call fits the remaining budgets. */
export function judgeLastTurn(context: Pick<TurnContext, 'env' | 'run' | 'agent'>, size: CallSize): BudgetVerdict {
  const { env, run, agent } = context;
  const room = new Room(env, run, agent, size);
  const verdict = lastVerdict(size, room, size.config?.maxOutputTokens ?? defaultOutputTokens);
  return verdict.outcome === 'refused' ? { ...verdict, limit: room.tightest } : verdict;
}

/** What a call gives back to every budget before its next attempt is judged. */
export interface FreedBudget {
  readonly tokens: number;
  readonly cost: number;
  /** 1 when its agent holds a reservation, and will hold none. */
  readonly sharers: number;
}

/** Checks that a further attempt of a model call fits the remaining budgets, once what the call holds is given back. */
export function judgeAttempt(
  { env, run, agent }: Pick<TurnContext, 'env' | 'run' | 'agent'>,
  size: CallSize,
  freed: FreedBudget,
): BudgetVerdict {
  const room = new Room(env, run, agent, size, freed);
  const verdict = lastVerdict(size, room, size.config?.maxOutputTokens ?? defaultOutputTokens);
  return verdict.outcome === 'refused' ? { ...verdict, limit: room.tightest } : verdict;
}

/** Checks that the call for the run's title, or a further attempt of it, fits beside the calls of all agents at work. */
export function judgeTitle(
  { env, run, agent }: Pick<TurnContext, 'env' | 'run' | 'agent'>,
  size: CallSize,
  freed: FreedBudget = nothingFreed,
): BudgetVerdict {
  const wanted = size.config?.maxOutputTokens ?? defaultOutputTokens;
  const room = new Room(env, run, agent, size, { ...freed, sharers: 1 });
  const output = Math.min(wanted, room.usual);
  if (output < Math.min(wanted, leastOutput)) return { outcome: 'refused', limit: room.tightest };
  return { outcome: 'fits', reserve: reserveOf(size, output, wanted) };
}

const nothingFreed: FreedBudget = { tokens: 0, cost: 0, sharers: 0 };

function lastVerdict(size: CallSize, room: Room, wanted: number): BudgetVerdict {
  const output = Math.min(wanted, room.last);
  return output < Math.min(wanted, leastLastOutput)
    ? { outcome: 'refused' }
    : { outcome: 'last_turn', reserve: reserveOf(size, output, wanted) };
}

/** Returns what a call sets aside for a reply of `output` tokens, where the config allows `wanted`. */
export function reserveOf(size: CallSize, output: number, wanted: number): TurnReserve {
  const { prompt, config } = size;
  const tokens = prompt + output;
  const price = config?.price === undefined ? undefined : priceOf(config.price, prompt);
  const cost = price === undefined ? undefined : (prompt * price.input + output * price.output) / 1_000_000;
  if (cost === undefined) return output < wanted ? { tokens, output } : { tokens };
  return output < wanted ? { tokens, cost, output } : { tokens, cost };
}

/** Returns the highest price of a call: that of long prompts from half their length on, since a prompt's size is an estimate and grows. */
function priceOf(price: ModelPrice, prompt: number): Pick<TokenPrice, 'input' | 'output'> {
  return highestPrice(priceAt(price, 2 * prompt));
}

/** A budget with its limits, and its owner in words. */
interface BudgetHolder {
  readonly scope: ReachedLimit['scope'];
  readonly whose: string;
  readonly budget: Budget;
  readonly limits: SpendLimits;
}

/** The longest reply that all budgets of an agent have room for: in a turn that another one follows, and in its last. */
class Room {
  usual = Number.POSITIVE_INFINITY;
  last = Number.POSITIVE_INFINITY;
  readonly #size: CallSize;
  readonly #freed: FreedBudget;
  #tightest: (() => ReachedLimit) | undefined;

  constructor(env: Env, run: RunContext, agent: SubContext, size: CallSize, freed = nothingFreed) {
    this.#size = size;
    this.#freed = freed;
    for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above)) {
      const whose = above === agent ? '' : ` of ${above.meta.agentId} and all below it`;
      this.#look({ scope: 'agent', whose, budget: above.limits.budget, limits: spendLimits(env, above) });
    }
    const module = moduleOf(run, agent);
    if (module !== undefined) {
      const whose = ` of work module ${agent.work.moduleScope ?? ''}`;
      this.#look({ scope: 'module', whose, budget: module, limits: moduleLimits({ env, run, agent }) ?? {} });
    }
    this.#look({ scope: 'run', whose: ' of the run', budget: run.budget, limits: run.limits });
  }

  get tightest(): ReachedLimit | undefined {
    return this.#tightest?.();
  }

  #look(holder: BudgetHolder): void {
    const { budget, limits } = holder;
    const { maxTokens, maxCostUsd } = limits;
    const { prompt, config } = this.#size;
    const price = config?.price === undefined ? undefined : priceOf(config.price, prompt);
    const freed = this.#freed;
    const sharers = Math.max(1, budget.live - budget.reserving + freed.sharers);
    if (maxTokens !== undefined) {
      const left = maxTokens - budget.tokens - budget.reservedTokens + freed.tokens;
      this.#fit(left / sharers, 1, 1, () =>
        reached(holder, { limit: 'tokens', used: budget.tokens, allowed: maxTokens, left, sharers }),
      );
    }
    // An unknown cost cannot be checked against a limit: tokens are used instead, and the record says so.
    if (maxCostUsd !== undefined && price !== undefined) {
      const left = maxCostUsd - budget.cost - budget.reservedCost + freed.cost;
      this.#fit(left / sharers, price.input / 1_000_000, price.output / 1_000_000, () =>
        reached(holder, { limit: 'cost_usd', used: budget.cost, allowed: maxCostUsd, left, sharers }),
      );
    }
  }

  /** Fits a call into a share at a price per input and output token; a usual turn keeps a last one in reserve. */
  #fit(share: number, perInput: number, perOutput: number, describe: () => ReachedLimit): void {
    const { prompt } = this.#size;
    const behind = 2 * prompt * perInput + leastLastOutput * perOutput;
    const usual = longest(share - behind, perInput + perOutput);
    if (usual < this.usual) {
      this.usual = usual;
      this.#tightest = describe;
    }
    this.last = Math.min(this.last, longest(share - prompt * perInput, perOutput));
  }
}

function longest(left: number, perToken: number): number {
  if (left < 0) return -1;
  return perToken === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / perToken);
}

/** Use of a limit that a model call does not fit into: the rest, and the number of agents that share it. */
interface TightLimit extends Pick<ReachedLimit, 'limit' | 'used' | 'allowed'> {
  readonly left: number;
  readonly sharers: number;
}

function reached({ scope, whose }: BudgetHolder, { limit, used, allowed, left, sharers }: TightLimit): ReachedLimit {
  const unit = limit === 'tokens' ? 'tokens' : 'US dollars';
  const shared = sharers > 1 ? `, ${shown(left)} left for ${sharers} agents` : `, ${shown(left)} left`;
  const reason = `${shown(used)} of ${shown(allowed)} ${unit}${whose}${shared}`;
  return { stage: 2, scope, limit, used, allowed, reason };
}

/** The LLM config of a profile; undefined when it cannot be called, which the call itself will say. */
export function configOf(context: Pick<TurnContext, 'env' | 'profile' | 'run' | 'agent'>): LlmConfig | undefined {
  const { env, profile, run, agent } = context;
  if (!usesModel(profile)) return undefined;
  try {
    return env.llmConfig(profile, run, agent);
  } catch {
    return undefined;
  }
}
