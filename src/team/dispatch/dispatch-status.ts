/** How a dispatch as a whole came out (A1.9). */
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

/** How many assignments of a call came out in which way; together they are all of the call's assignments. */
export interface DispatchCounts {
  /** Could not be prepared. */
  readonly unprepared: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Ended from outside before they could succeed or fail. */
  readonly cancelled: number;
}

/** The status of a dispatch: `TOTAL_FAILURE` without more is a dispatch of which nothing was left to finish. */
export function dispatchStatus({ unprepared, succeeded, failed, cancelled }: DispatchCounts): DispatchStatus {
  const started = succeeded + failed + cancelled;
  if (started + unprepared === 0) return 'NO_ASSIGNMENTS_REQUESTED';
  if (started === 0) return 'TOTAL_FAILURE_ALL_PREP_FAILED';
  if (started === cancelled) return 'TOTAL_FAILURE';
  if (succeeded === 0) return unprepared === 0 ? 'TOTAL_FAILURE_ASSOCIATES_ALL_FAILED' : 'TOTAL_FAILURE_PREP_AND_ASSOC_FAILED';
  if (succeeded === started) return unprepared === 0 ? 'SUCCESS' : 'PARTIAL_SUCCESS_SOME_PREP_FAILED';
  return unprepared === 0 ? 'PARTIAL_SUCCESS_ASSOCIATES_SOME_FAILED' : 'PARTIAL_SUCCESS_MIXED_RESULTS';
}

/** Tells whether a status means that no assignment brought anything. */
export function isTotalFailure(status: DispatchStatus): boolean {
  return status.startsWith('TOTAL_FAILURE');
}

/** The counts in one sentence. */
export function dispatchMessage({ unprepared, succeeded, failed, cancelled }: DispatchCounts): string {
  const requested = unprepared + succeeded + failed + cancelled;
  const parts = [`${succeeded} succeeded`, `${failed} failed`];
  if (cancelled > 0) parts.push(`${cancelled} cancelled`);
  parts.push(`${unprepared} could not be prepared`);
  return `Dispatch operation concluded for ${requested} requested assignment(s). ${parts.join(', ')}.`;
}
