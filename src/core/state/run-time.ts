import type { RunContext } from './run-context.ts';

/*
 * Time for limits and deadlines. Events carry the wall clock, which may jump; `clock.jump` records the jumps, so both figures here
 * advance evenly, across processes, too.
 */

/** Returns the milliseconds a run has worked by a moment of the wall clock, without clock jumps, waits for people, and downtime. */
export function activeAt(run: RunContext, at: number): number {
  return (run.awaitingSince ?? at) - run.jumpedMs - run.pausedMs;
}

/** Returns a moment of the wall clock without its jumps: the time that deadlines of approvals and questions use. */
export function steadyAt(run: RunContext, at: number): number {
  return at - run.jumpedMs;
}
