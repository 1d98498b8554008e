import type { CompiledProfile, Limits } from '../core/profile.ts';
import type { AgentState, RunState } from '../core/state.ts';

/** What holds for one agent when nobody says otherwise. Every loop has a bound. */
export const defaultAgentLimits: Limits = {
  maxTurns: 50,
  maxToolCalls: 200,
  maxTokens: 2_000_000,
  maxCostUsd: 5,
  maxWallMs: 3_600_000,
  maxDepth: 4,
  maxChildren: 64,
  softAt: 0.8,
};

/** What holds for a whole run when nobody says otherwise. */
export const defaultRunLimits: Limits = {
  maxTurns: 1_000,
  maxToolCalls: 5_000,
  maxTokens: 20_000_000,
  maxCostUsd: 50,
  maxWallMs: 4 * 3_600_000,
  maxDepth: 4,
  maxChildren: 256,
  softAt: 0.8,
};

/** How near an agent is to a limit: 1 = wrap up, 2 = this is the last turn. */
export interface LimitStage {
  readonly stage: 0 | 1 | 2;
  readonly reason: string;
}

const farFromLimit: LimitStage = { stage: 0, reason: '' };

/** Looks at every limit of an agent and of its run, and answers with the first that is reached, else the first that is near. */
export function limitStageOf(run: RunState, agent: AgentState, profile: CompiledProfile): LimitStage {
  const own = profile.limits;
  const { counters } = agent;
  const softAt = own.softAt ?? run.limits.softAt;
  let near = farFromLimit;
  const check = (name: string, used: number, limit: number): boolean => {
    if (used >= limit) {
      near = { stage: 2, reason: `${used} of ${limit} ${name}` };
      return true;
    }
    if (near.stage === 0 && limit > 2 && used >= limit * softAt) near = { stage: 1, reason: `${used} of ${limit} ${name}` };
    return false;
  };
  const reached =
    check('turns', counters.turnCount, own.maxTurns ?? defaultAgentLimits.maxTurns) ||
    check('tool calls', counters.toolCallCount, own.maxToolCalls ?? defaultAgentLimits.maxToolCalls) ||
    check('tokens', counters.tokensUsed, own.maxTokens ?? defaultAgentLimits.maxTokens) ||
    check('US dollars', agent.usage.cost, own.maxCostUsd ?? defaultAgentLimits.maxCostUsd) ||
    check('milliseconds', run.at - agent.meta.startedAt, own.maxWallMs ?? defaultAgentLimits.maxWallMs) ||
    check('turns of the run', run.counters.turns, run.limits.maxTurns) ||
    check('tool calls of the run', run.counters.toolCalls, run.limits.maxToolCalls) ||
    check('tokens of the run', run.usage.inputTokens + run.usage.outputTokens, run.limits.maxTokens) ||
    check('US dollars of the run', run.usage.cost, run.limits.maxCostUsd) ||
    check('milliseconds of the run', run.at - run.meta.createdAt, run.limits.maxWallMs);
  return reached || near.stage > 0 ? near : farFromLimit;
}
