import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { unknownCalls } from '../../core/state/unknown-calls.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import type { Assignment, DispatchRecord, ModuleArchive, WorkModule } from '../../core/team/work-module.ts';
import { fallbackDeliverables, isEmptyDeliverables } from '../reports/agent-deliverables.ts';

/** The end of an associate's agent, past or imminent. */
export interface Ending {
  readonly outcome: string;
  readonly output: string;
  readonly deliverables: JsonObject;
  readonly error?: string;
}

/** Result of an assignment, as reported to its dispatcher and in the module's history. */
export interface AssignmentVerdict {
  readonly status: Exclude<Assignment['outcome'], 'running'>;
  readonly deliverables: JsonObject;
  readonly errorDetails: JsonObject | null;
}

/** Returns the ending of an ended agent. */
export function endingOf(agent: SubContext): Ending {
  const {
    result: { outcome, output, error },
    deliverables,
  } = agent;
  return { outcome: outcome ?? 'error', output, deliverables, ...(error === undefined ? {} : { error: error.message }) };
}

/** Derives an assignment's result from its agent's end: only the outcome `success` is a success (D1.22). */
export function assignmentVerdict(agent: SubContext, ending: Ending): AssignmentVerdict {
  const empty = isEmptyDeliverables(ending.deliverables);
  if (ending.outcome === 'success') {
    const deliverables = empty ? fallbackDeliverables(agent, ending.output) : ending.deliverables;
    return { status: 'completed_success', deliverables, errorDetails: null };
  }
  // The last message of a failed agent is not a result, unless it was asked for a summary (its output).
  const deliverables = empty && ending.output !== '' ? { primary_summary: ending.output } : ending.deliverables;
  const message = ending.error ?? `the associate ended with outcome "${ending.outcome}"`;
  return {
    status: ending.outcome === 'cancelled' ? 'cancelled' : 'completed_error',
    deliverables,
    errorDetails: { outcome: ending.outcome, message, ...unknownCalls(agent) },
  };
}

/**
 * Returns the events that close an agent's assignment: its module leaves `ongoing` for `pending_review`, with the attempt in its
 * archive, and the dispatch record is closed. Empty when the agent has no open assignment, so repeated calls are safe.
 */
export function settleAssignment(agent: SubContext, ending: Ending, context: TransitionContext): readonly EventDraft[] {
  const { run, at } = context;
  const record = latestDispatch(run, agent.meta.agentId);
  if (record === undefined || !isOpenDispatch(record)) return [];
  const verdict = assignmentVerdict(agent, ending);
  const module = run.team.workModules[record.module_id];
  const closed: EventDraft = { type: 'dispatch.update', dispatchId: record.dispatch_id, patch: dispatchPatch(verdict, at) };
  if (module?.status !== 'ongoing') return [closed];
  const changed = new Map([[record.module_id, reviewable(module, record, { agent, verdict, at })]]);
  return [...context.changeModules(changed, { moves: 'dispatch', on: run }), closed];
}

/** Returns the dispatch that last started or restarted an agent. */
export function latestDispatch({ team }: RunContext, agentId: AgentId): DispatchRecord | undefined {
  const index = team.dispatchOfAgent.get(agentId);
  return index === undefined ? undefined : team.dispatchHistory[index];
}

/** True when a dispatch is neither finished nor abandoned. */
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

/** Returns a module after an attempt: to be reviewed, with the attempt in its archive. */
function reviewable(
  module: WorkModule,
  { dispatch_id, role_name }: DispatchRecord,
  { agent, verdict, at }: { readonly agent: SubContext; readonly verdict: AssignmentVerdict; readonly at: number },
): WorkModule {
  const { status, deliverables, errorDetails } = verdict;
  const success = status === 'completed_success';
  const attempt: ModuleArchive = {
    dispatch_id,
    archived_at: at,
    agent_id: agent.meta.agentId,
    message_count: agent.history.released + agent.history.messages.length,
    deliverables,
  };
  return {
    ...module,
    status: 'pending_review',
    review_info: {
      trigger: success ? 'associate_completed' : 'associate_failed',
      message: success ? `${role_name} has finished; review the deliverables.` : `${role_name} did not finish the module.`,
      error_details: errorDetails,
    },
    assignee_history: module.assignee_history.map((entry) =>
      entry.dispatch_id === dispatch_id ? { ...entry, ended_at: at, outcome: status } : entry,
    ),
    context_archive: [...module.context_archive, attempt],
    // A failed rework keeps the deliverables of earlier attempts.
    deliverables: success || isEmptyDeliverables(module.deliverables) ? deliverables : module.deliverables,
  };
}
