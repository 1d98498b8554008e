import type { RunContext } from './run-context.ts';

/*
 * Time as limits see it. Events carry the wall clock, which may jump; jumps are on record (`clock.jump`), so both figures here
 * go on evenly, in this process and in the next.
 */

/** Returns the milliseconds a run has worked by a moment of the wall clock, without clock jumps, waits for people, and downtime. */
export function activeAt(run: RunContext, at: number): number {
  return (run.awaitingSince ?? at) - run.jumpedMs - run.pausedMs;
}

/** Returns a moment of the wall clock without its jumps: the time that deadlines of approvals and questions use. */
export function steadyAt(run: RunContext, at: number): number {
  return at - run.jumpedMs;
}
