import type { AgentId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { assignmentVerdict, endingOf } from '../dispatch/settle-assignment.ts';
import { textOf } from '../reports/text-of.ts';

/** A step of a plan that is carried out: its work module, and what became of it. */
export interface MemoStep {
  readonly moduleId: string;
  readonly phase: string;
  readonly agentId?: AgentId;
  /** Why nobody could be put to work on it. */
  readonly problem?: string;
}

/** What a plan that waits remembers: what its steps are about stands in their modules. */
export interface PlanMemo {
  readonly steps: readonly MemoStep[];
}

/** Where a step stands. `completed` is one whose agent succeeded, or that somebody else has completed. */
export type StepState = 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled';

/** A memo as it is stored with the suspended call. */
export function toStoredPlan({ steps }: PlanMemo): JsonValue {
  return {
    steps: steps.map(({ moduleId, phase, agentId, problem }) => ({
      module_id: moduleId,
      phase,
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(problem === undefined ? {} : { problem }),
    })),
  };
}

/** Reads a memo back that `toStoredPlan` made. */
export function fromStoredPlan(stored: JsonValue): PlanMemo {
  const steps = isJsonObject(stored) && Array.isArray(stored['steps']) ? (stored['steps'] as readonly JsonValue[]) : [];
  return { steps: steps.filter(isJsonObject).map(readStep) };
}

function readStep(step: JsonObject): MemoStep {
  const { module_id, phase, agent_id, problem } = step;
  return {
    moduleId: textOf(module_id),
    phase: textOf(phase),
    ...(typeof agent_id === 'string' ? { agentId: agent_id as AgentId } : {}),
    ...(typeof problem === 'string' ? { problem } : {}),
  };
}

/** Where a step stands: by how its agent ended, never by what it or anybody says of itself (D2.10). */
export function stepState({ moduleId, agentId, problem }: MemoStep, run: RunContext): StepState {
  if (problem !== undefined) return 'failed';
  if (agentId === undefined) return run.team.workModules[moduleId]?.status === 'completed' ? 'completed' : 'waiting';
  const agent = run.agents.get(agentId);
  if (agent === undefined) return 'cancelled';
  if (agent.status !== 'ended') return 'running';
  const { status } = assignmentVerdict(agent, endingOf(agent));
  switch (status) {
    case 'completed_success':
      return 'completed';
    case 'completed_error':
      return 'failed';
    case 'cancelled':
      return 'cancelled';
  }
}
