import type { AgentId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { clipDeliverables } from '../reports/clip-deliverables.ts';
import type { DispatchMemo } from './dispatch-memo.ts';
import { messageDigest } from '../reports/message-text.ts';
import { assignmentVerdict, endingOf, type AssignmentVerdict } from './settle-assignment.ts';

/** Characters for all associates' messages, and for all their deliverables, in a result; divided equally. */
const messageBudget = 48_000;
const deliverableBudget = 96_000;
/** Maximum characters of one associate's messages. */
const maxDigestChars = 6_000;

interface Outcome {
  readonly moduleId: string;
  readonly agentId: AgentId;
  readonly verdict: AssignmentVerdict;
}

/** Builds the result of a dispatch whose associates have all ended, with every assignment in it (D1.16). */
export function dispatchResult(memo: DispatchMemo, run: RunContext): { readonly data: JsonObject; readonly isError: boolean } {
  const outcomes = memo.started.map(({ moduleId, agentId }): Outcome => {
    const agent = run.agents.get(agentId);
    const verdict: AssignmentVerdict =
      agent === undefined
        ? { status: 'cancelled', deliverables: {}, errorDetails: { outcome: 'cancelled', message: 'the associate is gone' } }
        : assignmentVerdict(agent, endingOf(agent));
    return { moduleId, agentId, verdict };
  });
  const counts = countOutcomes(outcomes, memo.failed.length);
  const status = dispatchStatus(counts);
  const data: JsonObject = {
    status,
    message: dispatchMessage(counts),
    assignment_execution_results: outcomes.map((outcome) => executionResult(outcome, run, outcomes.length)),
    failed_preparation_details: memo.failed.map(({ input, reason }) => ({ input, reason })),
  };
  return { data, isError: isTotalFailure(status) };
}

function countOutcomes(outcomes: readonly Outcome[], unprepared: number): DispatchCounts {
  const count = (status: AssignmentVerdict['status']): number =>
    outcomes.filter((outcome) => outcome.verdict.status === status).length;
  return { unprepared, succeeded: count('completed_success'), failed: count('completed_error'), cancelled: count('cancelled') };
}

function executionResult({ moduleId, agentId, verdict }: Outcome, run: RunContext, shares: number): JsonObject {
  const agent = run.agents.get(agentId);
  const digestChars = Math.min(maxDigestChars, Math.floor(messageBudget / shares));
  return {
    module_id: moduleId,
    associate_id: agentId,
    execution_status: verdict.status,
    deliverables: clipDeliverables(verdict.deliverables, Math.floor(deliverableBudget / shares)),
    error_details: verdict.errorDetails,
    new_messages_from_associate: agent === undefined ? '' : messageDigest(agent.history, digestChars),
  };
}

/** Status of a dispatch as a whole (A1.9). */
type DispatchStatus =
  | 'SUCCESS'
  | 'PARTIAL_SUCCESS_SOME_PREP_FAILED'
  | 'PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED'
  | 'PARTIAL_SUCCESS_MIXED_RESULTS'
  | 'TOTAL_FAILURE_ASSOCIATES_ALL_FAILED'
  | 'TOTAL_FAILURE_PREP_AND_ASSOC_FAILED'
  | 'TOTAL_FAILURE_ALL_PREP_FAILED'
  | 'NO_ASSIGNMENTS_REQUESTED'
  | 'TOTAL_FAILURE';

/** Counts of a call's assignments by result; together they cover all assignments. */
interface DispatchCounts {
  /** Could not be prepared. */
  readonly unprepared: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Ended from outside before they could succeed or fail. */
  readonly cancelled: number;
}

/** Returns the status of a dispatch; plain `TOTAL_FAILURE` means that every started assignment was cancelled. */
function dispatchStatus({ unprepared, succeeded, failed, cancelled }: DispatchCounts): DispatchStatus {
  const started = succeeded + failed + cancelled;
  if (started + unprepared === 0) return 'NO_ASSIGNMENTS_REQUESTED';
  if (started === 0) return 'TOTAL_FAILURE_ALL_PREP_FAILED';
  if (started === cancelled) return 'TOTAL_FAILURE';
  if (succeeded === 0) return unprepared === 0 ? 'TOTAL_FAILURE_ASSOCIATES_ALL_FAILED' : 'TOTAL_FAILURE_PREP_AND_ASSOC_FAILED';
  if (succeeded === started) return unprepared === 0 ? 'SUCCESS' : 'PARTIAL_SUCCESS_SOME_PREP_FAILED';
  return unprepared === 0 ? 'PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED' : 'PARTIAL_SUCCESS_MIXED_RESULTS';
}

/** True when the status means that no assignment delivered anything. */
function isTotalFailure(status: DispatchStatus): boolean {
  return status.startsWith('TOTAL_FAILURE');
}

/** Renders the counts in one sentence. */
function dispatchMessage({ unprepared, succeeded, failed, cancelled }: DispatchCounts): string {
  const requested = unprepared + succeeded + failed + cancelled;
  const parts = [`${succeeded} succeeded`, `${failed} failed`];
  if (cancelled > 0) parts.push(`${cancelled} cancelled`);
  parts.push(`${unprepared} could not be prepared`);
  return `Dispatch operation concluded for ${requested} requested assignment(s). ${parts.join(', ')}.`;
}
