import type { RunContext } from './run-context.ts';

/*
 * Time as limits see it. Events carry the wall clock, which may jump; jumps are on record (`clock.jump`), so both figures here
 * go on evenly, in this process and in the next.
 */

/** Milliseconds a run has worked at a moment of the wall clock: without jumps, waiting for people, and lying still. */
export function activeAt(run: RunContext, at: number): number {
  return (run.awaitingSince ?? at) - run.jumpedMs - run.pausedMs;
}

/** A moment of the wall clock without its jumps: what people who are waited for live by. */
export function steadyAt(run: RunContext, at: number): number {
  return at - run.jumpedMs;
}
