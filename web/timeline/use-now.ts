import { useEffect, useState } from 'preact/hooks';
import type { Timeline } from '../../src/inspect/timeline/timeline.ts';

/** Milliseconds between moves of the live edge. */
const everyMs = 200;
/** Longest silence of a working run in milliseconds; later, most likely no process advances it. */
const longestSilenceMs = 15 * 60_000;

/** Returns the right end of a timeline: its last event or, while turns are open, the current time. */
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
