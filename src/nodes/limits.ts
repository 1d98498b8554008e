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

/** Looks at every limit of an agent and of its run and answers with the one that is nearest. */
export function limitStageOf(run: RunState, agent: AgentState, profile: CompiledProfile): LimitStage {
  const own = profile.limits;
  const wall = run.at - agent.meta.startedAt;
  const used: readonly (readonly [string, number, number])[] = [
    ['turns', agent.counters.turnCount, own.maxTurns ?? defaultAgentLimits.maxTurns],
    ['tool calls', agent.counters.toolCallCount, own.maxToolCalls ?? defaultAgentLimits.maxToolCalls],
    ['tokens', agent.counters.tokensUsed, own.maxTokens ?? defaultAgentLimits.maxTokens],
    ['US dollars', agent.usage.cost, own.maxCostUsd ?? defaultAgentLimits.maxCostUsd],
    ['milliseconds', wall, own.maxWallMs ?? defaultAgentLimits.maxWallMs],
    ["turns of the run", run.counters.turns, run.limits.maxTurns],
    ["tool calls of the run", run.counters.toolCalls, run.limits.maxToolCalls],
    ["tokens of the run", run.usage.inputTokens + run.usage.outputTokens, run.limits.maxTokens],
    ["US dollars of the run", run.usage.cost, run.limits.maxCostUsd],
    ["milliseconds of the run", run.at - run.meta.createdAt, run.limits.maxWallMs],
  ];
  const softAt = own.softAt ?? run.limits.softAt;
  let soft: LimitStage = { stage: 0, reason: '' };
  for (const [name, value, limit] of used) {
    if (value >= limit) return { stage: 2, reason: `${value} of ${limit} ${name}` };
    if (soft.stage === 0 && limit > 2 && value >= limit * softAt) soft = { stage: 1, reason: `${value} of ${limit} ${name}` };
  }
  return soft;
}
