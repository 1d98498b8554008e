import type { CaseEngine } from './tested-profiles.ts';

/** Ticks of the event loop without a decision after which nothing more will come by itself. */
const quietTicks = 40;
/** Most timers that one case may need. */
const mostTimers = 1_000;

/**
 * Waits until a case is done, or nothing more comes by itself. Time does not move while something happens; when nothing does, it moves to
 * the next timer, such as the wait between two attempts.
 */
export async function untilQuiet(
  { clock }: Pick<CaseEngine, 'clock'>,
  watched: { readonly isDone: () => boolean; readonly steps: () => number; readonly mayAdvance?: () => boolean },
): Promise<void> {
  const { isDone, steps, mayAdvance = () => false } = watched;
  for (let timers = 0; timers < mostTimers; timers += 1) {
    let seen = steps();
    for (let ticks = 0; ticks < quietTicks && !isDone(); ticks += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (steps() === seen) continue;
      seen = steps();
      ticks = 0;
    }
    // The commit of the last decision, and what it resolves.
    await new Promise((resolve) => setImmediate(resolve));
    const { nextIn } = clock;
    if (isDone() || nextIn === undefined || !mayAdvance()) return;
    await clock.advance(nextIn);
  }
}
