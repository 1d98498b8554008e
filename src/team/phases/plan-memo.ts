import type { AgentId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { assignmentVerdict, endingOf } from '../dispatch/settle-assignment.ts';
import { textOf } from '../reports/text-of.ts';

/** A step of a running plan: its work module and its result. */
export interface MemoStep {
  readonly moduleId: string;
  readonly phase: string;
  readonly agentId?: AgentId;
  /** Reason no agent could start on it. */
  readonly problem?: string;
}

/** Memo of a waiting plan; the content of its steps is in their modules. */
export interface PlanMemo {
  readonly steps: readonly MemoStep[];
}

/** State of a step. `completed` means that its agent succeeded, or that it was completed from elsewhere. */
export type StepState = 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled';

/** Converts a memo to JSON for storage with the suspended call. */
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

/** Reads a memo that `toStoredPlan` stored. */
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

/** Returns the state of a step, from its agent's end and never from self-reports. */
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
