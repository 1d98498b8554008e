import { useEffect, useState } from 'preact/hooks';
import type { Timeline } from '../../src/inspect/timeline/timeline.ts';

/** How often the live edge moves, in milliseconds. */
const everyMs = 200;
/** Longest time without an event that a run at work can take; later, most likely nobody advances it. */
const longestSilenceMs = 15 * 60_000;

/** The right end of a timeline: its last event or, while turns are open, this moment. */
export function useNow(view: Timeline): number {
  const isOpen = view.live && view.lanes.some(({ bars }) => bars.at(-1)?.to === undefined && bars.length > 0);
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => setTick((tick) => tick + 1), everyMs);
    return () => clearInterval(timer);
  }, [isOpen]);
  const now = Date.now();
  return isOpen && now > view.to && now - view.to < longestSilenceMs ? now : view.to;
}
