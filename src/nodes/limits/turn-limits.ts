import type { TurnContext } from '../../core/turn-context.ts';
import { contextTokens, contextTokensAtMost, correctedTokens } from '../../core/prompt/context-size.ts';
import { parentOf } from '../../core/fold/budget.ts';
import { defaultRunLimits } from '../../core/profile/limits.ts';
import { defaultOutputTokens, type LlmConfig } from '../../core/model/llm-config.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { TurnStart } from '../../core/events/turn-events.ts';
import type { TurnReserve } from '../../core/events/turn-parts.ts';
import type { TurnInput, TurnPrompt } from '../../core/state/turn.ts';
import { endAgent } from '../turn/end-agent.ts';
import { areAllFar, reachedLimits, type ReachedLimit, shown } from './limits.ts';
import { type BudgetVerdict, judgeTurn, configOf, hasAmpleRoom, judgeLastTurn, reserveOf } from './reserve.ts';
import { announceLimit } from './announce-limit.ts';

// Estimated size of a system prompt before the first turn has built it; the budget is checked again with the written prompt.
const firstPromptTokens = 200;

// What a prompt may turn out longer than the estimate of its items, such as by their frames, and still needs no second check.
const spareTokens = 1_024;

/**
 * Checks an agent's limits before it reads its inbox: warns it of those that are near, and makes this its last turn when one is
 * used up. Returns 'limit_reached' when the agent has ended, since not even a last turn fits; else the tokens of a prompt that surely fits
 * each budget, 0 when none surely does. `config` is that of its model, if it can be called.
 */
export function checkLimits(context: TurnContext, config: LlmConfig | undefined): number | 'limit_reached' {
  const { tx, agent } = context;
  if (agent.limits.stage !== 'last_turn' && !areAllFar(context))
    for (const limit of reachedLimits(context))
      announceLimit(tx, agent, { type: 'limit.reach', agentId: agent.meta.agentId, ...limit });
  // A function uses no tokens, and a model that cannot be called none either.
  if (config === undefined) return 0;
  const before = agent.turn.lastId === undefined ? firstPromptTokens : 0;
  // Usually there is plenty, and the size of the waiting items does not matter.
  // A longer prompt may be the cheaper one where its price has steps.
  const isSteady = config.price?.above === undefined;
  const most = contextTokensAtMost(agent) + before + (isSteady ? spareTokens : 0);
  if (agent.limits.stage !== 'last_turn' && hasAmpleRoom(context, most, config)) return isSteady ? most : 0;
  const needed = contextTokens(agent) + before;
  const { outcome, limit } = allow(context, config, needed);
  if (outcome === 'fits' || limit === undefined) return 0;
  if (outcome === 'refused') return endForLimit(context, { limit, needed });
  announceLimit(tx, agent, { type: 'limit.reach', agentId: agent.meta.agentId, ...limit });
  return 0;
}

/** Limit that a turn is warned of, and the budget set aside for its model call. */
export type TurnBudget = Pick<TurnStart, 'limit' | 'reserve'>;

/** A turn whose prompt is written. */
interface WrittenTurn {
  readonly prompt: TurnPrompt;
  readonly inputs: readonly TurnInput[];
  readonly config: LlmConfig | undefined;
  /** Tokens of a prompt that surely fits each budget. */
  readonly ample: number;
}

/** Reserves the budget of a turn whose prompt is written. Returns 'limit_reached' when the agent has ended, since its prompt does not fit. */
export function reserveBudget(context: TurnContext, turn: WrittenTurn): TurnBudget | 'limit_reached' {
  const { agent } = context;
  const { prompt, inputs, config, ample } = turn;
  const { stage, reason = '' } = agent.limits;
  const needed = correctedTokens(agent, prompt.from, prompt.tokens ?? 0);
  let reserve: TurnReserve | undefined;
  if (config !== undefined && needed <= ample && stage !== 'last_turn') {
    const wanted = config.maxOutputTokens ?? defaultOutputTokens;
    reserve = reserveOf({ prompt: needed, config }, wanted, wanted);
  } else if (config !== undefined) {
    const verdict = allow(context, config, needed);
    if (verdict.outcome === 'refused') return endForLimit(context, { limit: verdict.limit, needed });
    ({ reserve } = verdict);
  }
  const isTold = stage === 'last_turn' || (stage === 'warned' && inputs.some(({ source }) => source === 'LIMIT_NOTICE'));
  if (!isTold) return reserve === undefined ? nothing : { reserve };
  const limit = { stage: stage === 'last_turn' ? 2 : 1, reason } as const;
  return reserve === undefined ? { limit } : { limit, reserve };
}

const nothing: TurnBudget = {};

function allow(context: TurnContext, config: LlmConfig, prompt: number): BudgetVerdict {
  const { agent } = context;
  const size = { prompt, config };
  return agent.limits.stage === 'last_turn' ? judgeLastTurn(context, size) : judgeTurn(context, size);
}

/** Ends an agent for which not even a last turn is left; `needed` are the tokens of that turn's prompt. */
function endForLimit(
  context: TurnContext,
  { limit, needed }: { readonly limit: ReachedLimit | undefined; readonly needed: number },
): 'limit_reached' {
  const { tx, agent } = context;
  const { agentId, seq } = agent.meta;
  const cause =
    limit === undefined || agent.limits.stage === 'last_turn'
      ? seq
      : tx.emit({ type: 'limit.reach', agentId, ...limit, stage: 2 }, seq).seq;
  const message = `${limit?.reason ?? agent.limits.reason ?? 'a limit is reached'}; nothing is left for a last turn, whose prompt alone has about ${shown(needed)} tokens`;
  endAgent(context, { outcome: 'limit', error: { code: 'LIMIT_REACHED', message } }, cause);
  return 'limit_reached';
}

/** Records once per run that a cost limit cannot be enforced because the cost of a call is unknown, and why. */
export function noteUnknownCost(context: TurnContext): void {
  const { tx, env, agent } = context;
  if (!hasCostLimit(context)) return;
  const { agentId, profile } = agent.meta;
  const known = env.profiles.get(profile);
  const isPriced = known !== undefined && configOf({ env, profile: known, run: tx.run, agent })?.price !== undefined;
  const why = isPriced ? `the provider of ${profile} did not say what a call used` : `a model of ${profile} has no known price`;
  const remedy = isPriced ? '' : ' Give the LLM config a price.';
  const message = `${why}, so it counts as cost unknown and a limit on cost does not see it; the limits on tokens hold.${remedy}`;
  tx.emit({ type: 'note.add', level: 'warning', code: 'COST_UNKNOWN', message, agentId });
}

/** True when a cost limit was set explicitly; the default one, which always applies, needs no notice. */
function hasCostLimit(context: Pick<TurnContext, 'run' | 'env' | 'agent'>): boolean {
  const { run, env, agent } = context;
  if (run.limits.maxCostUsd !== defaultRunLimits.maxCostUsd) return true;
  for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above))
    if (env.profiles.get(above.meta.profile)?.limits.maxCostUsd !== undefined) return true;
  return false;
}
