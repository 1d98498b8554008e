import { defaultAgentLimits } from '../core/limits.ts';
import type { CompiledProfile } from '../core/profile.ts';
import type { AgentState, RunState } from '../core/state.ts';

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

/** How many tool calls an agent may still make, and the limit that says so. */
export interface ToolCallRoom {
  readonly left: number;
  readonly reason: string;
}

/** The tool calls that the agent's own limit and that of its run leave. */
export function toolCallRoom(run: RunState, agent: AgentState, profile: CompiledProfile): ToolCallRoom {
  const own = profile.limits.maxToolCalls ?? defaultAgentLimits.maxToolCalls;
  const ofAgent = Math.max(0, own - agent.counters.toolCallCount);
  const ofRun = Math.max(0, run.limits.maxToolCalls - run.counters.toolCalls);
  return ofRun < ofAgent
    ? { left: ofRun, reason: `the run may make ${run.limits.maxToolCalls} tool calls` }
    : { left: ofAgent, reason: `${agent.meta.agentId} may make ${own} tool calls` };
}
