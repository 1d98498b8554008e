import type { TurnContext } from '../../core/turn-context.ts';
import { usesModel } from '../../core/profile/profile.ts';
import { contextTokens } from '../../core/prompt/context-size.ts';
import { announceLimit } from '../limits/announce-limit.ts';

/** Shares of a model's context at which an agent is warned, and at which it gets its last turn. */
const defaultWarnAt = 0.7;
const defaultStopAt = 0.98;

/** The context size of the model an agent speaks with; undefined when its LLM config does not say, or cannot be used. */
export function contextSizeOf(context: Pick<TurnContext, 'env' | 'run' | 'agent' | 'profile'>): number | undefined {
  const { env, run, agent, profile } = context;
  if (!usesModel(profile)) return undefined;
  try {
    return env.llmConfig(profile, run, agent).contextWindow;
  } catch {
    // A config that lacks its key: the model call will say so, and is the place to.
    return undefined;
  }
}

/**
 * Warns an agent once when its context is nearly full, and grants its last turn when it is full. Returns the context size of
 * its model in tokens; undefined when unknown.
 */
export function checkContextSize(context: TurnContext): number | undefined {
  const { tx, agent, profile } = context;
  const allowed = contextSizeOf(context);
  if (allowed === undefined || agent.limits.stage === 'last_turn') return allowed;
  const { warnAt = defaultWarnAt, stopAt = defaultStopAt } = profile.contextPolicy;
  const used = contextTokens(agent);
  if (used < allowed * Math.min(warnAt, stopAt)) return allowed;
  const stage = used >= allowed * stopAt ? 2 : 1;
  const reason = `about ${used} of ${allowed} tokens of context`;
  announceLimit(tx, agent, {
    type: 'limit.reach',
    agentId: agent.meta.agentId,
    stage,
    scope: 'agent',
    limit: 'context',
    used,
    allowed,
    reason,
  });
  return allowed;
}
