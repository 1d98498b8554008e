import type { EventDraft } from '../../core/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AgentState, RunState } from '../../core/state.ts';
import type { Assignment, DispatchRecord, WorkModule } from '../../core/work-module.ts';
import { fallbackDeliverables, isEmptyDeliverables } from './agent-deliverables.ts';

/** How an associate's agent ended, or is about to end. */
export interface Ending {
  readonly outcome: string;
  readonly output: string;
  readonly deliverables: JsonObject;
  readonly error?: string;
}

/** What an assignment came to, as its dispatcher and the module's history are told. */
export interface AssignmentVerdict {
  readonly status: Exclude<Assignment['outcome'], 'running'>;
  readonly deliverables: JsonObject;
  readonly errorDetails: JsonObject | null;
}

/** The ending of an agent that has ended. */
export function endingOf(agent: AgentState): Ending {
  const { outcome, output, deliverables, error } = agent;
  return { outcome: outcome ?? 'error', output, deliverables, ...(error === undefined ? {} : { error: error.message }) };
}

/** Judges an assignment by how its agent ended: only the outcome `success` is a success (D1.22). */
export function assignmentVerdict(agent: AgentState, ending: Ending): AssignmentVerdict {
  const empty = isEmptyDeliverables(ending.deliverables);
  if (ending.outcome === 'success') {
    const deliverables = empty ? fallbackDeliverables(agent, ending.output) : ending.deliverables;
    return { status: 'completed_success', deliverables, errorDetails: null };
  }
  // The last words of an agent that failed are not a result, unless it was made to sum up (its output).
  const deliverables = empty && ending.output !== '' ? { primary_summary: ending.output } : ending.deliverables;
  const message = ending.error ?? `the associate ended with outcome "${ending.outcome}"`;
  return {
    status: ending.outcome === 'cancelled' ? 'cancelled' : 'completed_error',
    deliverables,
    errorDetails: { outcome: ending.outcome, message },
  };
}

/**
 * The events that close an agent's assignment: its module leaves `ongoing` for `pending_review`, with the attempt in its
 * archive, and the dispatch record is closed. Empty when the agent has no open assignment, so it can be asked twice.
 */
export function settleAssignment(run: RunState, agent: AgentState, ending: Ending, at: number): readonly EventDraft[] {
  const record = latestDispatch(run, agent.meta.agentId);
  if (record === undefined || !isOpenDispatch(record)) return [];
  const verdict = assignmentVerdict(agent, ending);
  const module = run.team.workModules[record.module_id];
  const closed: EventDraft = { type: 'dispatch.update', dispatchId: record.dispatch_id, patch: dispatchPatch(verdict, at) };
  if (module?.status !== 'ongoing') return [closed];
  return [{ type: 'module.update', moduleId: module.module_id, patch: modulePatch(module, record, agent, verdict, at) }, closed];
}

/** The dispatch an agent was started or sent by last. */
export function latestDispatch({ team }: RunState, agentId: AgentId): DispatchRecord | undefined {
  const index = team.dispatchOfAgent.get(agentId);
  return index === undefined ? undefined : team.dispatchHistory[index];
}

/** Tells whether a dispatch is neither done nor given up. */
export function isOpenDispatch(record: DispatchRecord): boolean {
  return record.status === 'QUEUED' || record.status === 'RUNNING';
}

function dispatchPatch(verdict: AssignmentVerdict, at: number): Partial<DispatchRecord> {
  const keys = Object.keys(verdict.deliverables);
  const statuses = { completed_success: 'COMPLETED_SUCCESS', completed_error: 'COMPLETED_ERROR', cancelled: 'CANCELLED' } as const;
  return {
    status: statuses[verdict.status],
    ended_at: at,
    final_summary: keys.length === 0 ? 'No deliverables' : `Deliverables: ${keys.join(', ')}`,
    ...(verdict.errorDetails === null ? {} : { error_details: verdict.errorDetails }),
  };
}

function modulePatch(
  module: WorkModule,
  record: DispatchRecord,
  agent: AgentState,
  verdict: AssignmentVerdict,
  at: number,
): Partial<WorkModule> {
  const { dispatch_id } = record;
  const success = verdict.status === 'completed_success';
  const attempt = {
    dispatch_id,
    archived_at: at,
    agent_id: agent.meta.agentId,
    message_count: agent.released + agent.messages.length,
    deliverables: verdict.deliverables,
  };
  return {
    status: 'pending_review',
    review_info: {
      trigger: success ? 'associate_completed' : 'associate_failed',
      message: success
        ? `${record.role_name} has finished; review the deliverables.`
        : `${record.role_name} did not finish the module.`,
      error_details: verdict.errorDetails,
    },
    assignee_history: module.assignee_history.map((entry) =>
      entry.dispatch_id === dispatch_id ? { ...entry, ended_at: at, outcome: verdict.status } : entry,
    ),
    context_archive: [...module.context_archive, attempt],
    // A failed rework does not take away what an earlier attempt delivered.
    ...(success || isEmptyDeliverables(module.deliverables) ? { deliverables: verdict.deliverables } : {}),
  };
}
