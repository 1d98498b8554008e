/** Status of a dispatch as a whole (A1.9). */
export type DispatchStatus =
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
export interface DispatchCounts {
  /** Could not be prepared. */
  readonly unprepared: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Ended from outside before they could succeed or fail. */
  readonly cancelled: number;
}

/** Returns the status of a dispatch; plain `TOTAL_FAILURE` means that every started assignment was cancelled. */
export function dispatchStatus({ unprepared, succeeded, failed, cancelled }: DispatchCounts): DispatchStatus {
  const started = succeeded + failed + cancelled;
  if (started + unprepared === 0) return 'NO_ASSIGNMENTS_REQUESTED';
  if (started === 0) return 'TOTAL_FAILURE_ALL_PREP_FAILED';
  if (started === cancelled) return 'TOTAL_FAILURE';
  if (succeeded === 0) return unprepared === 0 ? 'TOTAL_FAILURE_ASSOCIATES_ALL_FAILED' : 'TOTAL_FAILURE_PREP_AND_ASSOC_FAILED';
  if (succeeded === started) return unprepared === 0 ? 'SUCCESS' : 'PARTIAL_SUCCESS_SOME_PREP_FAILED';
  return unprepared === 0 ? 'PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED' : 'PARTIAL_SUCCESS_MIXED_RESULTS';
}

/** True when the status means that no assignment delivered anything. */
export function isTotalFailure(status: DispatchStatus): boolean {
  return status.startsWith('TOTAL_FAILURE');
}

/** Renders the counts in one sentence. */
export function dispatchMessage({ unprepared, succeeded, failed, cancelled }: DispatchCounts): string {
  const requested = unprepared + succeeded + failed + cancelled;
  const parts = [`${succeeded} succeeded`, `${failed} failed`];
  if (cancelled > 0) parts.push(`${cancelled} cancelled`);
  parts.push(`${unprepared} could not be prepared`);
  return `Dispatch operation concluded for ${requested} requested assignment(s). ${parts.join(', ')}.`;
}
