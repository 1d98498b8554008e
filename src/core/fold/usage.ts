import type { EventOf } from '../events/event.ts';
import type { Usage } from '../model/model.ts';
import type { Use } from '../model/usage.ts';
import type { RunUsage } from '../state/budget.ts';

/** Returns an empty usage. */
export function emptyUsage(): RunUsage {
  return {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    reasoningTokens: 0,
    modelCalls: 0,
    cost: 0,
    costUnknown: false,
  };
}

/** What is counted; an absent cost is unknown. */
interface Counted {
  readonly usage: Usage;
  readonly cost?: number | undefined;
}

/** Adds one model call to a usage. */
export function addUsage(usage: RunUsage, event: Counted & Pick<EventOf<'model.end'>, 'attempts'>): void {
  addUse(usage, event);
  // A planner or a function answers without a model call.
  if (event.attempts.length > 0 || event.cost !== 0) usage.modelCalls += 1;
}

/** Adds tokens and cost to a usage. */
export function addUse(usage: RunUsage, { usage: used, cost }: Counted): void {
  usage.inputTokens += used.inputTokens ?? 0;
  usage.outputTokens += used.outputTokens ?? 0;
  usage.cacheReadTokens += used.cacheReadTokens ?? 0;
  usage.reasoningTokens += used.reasoningTokens ?? 0;
  if (cost === undefined) usage.costUnknown = true;
  else usage.cost += cost;
}

/** Takes an estimate off a usage. An unknown cost added nothing. */
export function takeUse(usage: RunUsage, { usage: used, cost = 0 }: Use): void {
  usage.inputTokens -= used.inputTokens ?? 0;
  usage.outputTokens -= used.outputTokens ?? 0;
  usage.cost -= cost;
}
