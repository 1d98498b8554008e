import type { TurnContext } from '../../core/turn-context.ts';
import { contextTokens } from '../../core/prompt/context-size.ts';
import { announceLimit } from '../limits/announce-limit.ts';

/** Shares of a model's context at which an agent is warned, and at which it gets its last turn. */
const defaultWarnAt = 0.7;
const defaultStopAt = 0.98;

/** Warns an agent once when its context of so many tokens is nearly full, and grants its last turn when it is full. */
export function checkContextSize({ tx, agent, profile }: TurnContext, allowed: number): void {
  if (agent.limits.stage === 'last_turn') return;
  const { warnAt = defaultWarnAt, stopAt = defaultStopAt } = profile.contextPolicy;
  const used = contextTokens(agent);
  if (used < allowed * Math.min(warnAt, stopAt)) return;
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
}
