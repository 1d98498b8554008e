import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** The wall clock, by the second; it goes while somebody watches. */
const second = signal(Date.now());
let watching = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The time in milliseconds since 1970, again every second; `ticks` says whether it still matters. */
export function useNow(ticks = true): number {
  useEffect(() => {
    if (!ticks) return undefined;
    watching += 1;
    second.value = Date.now();
    timer ??= setInterval(() => (second.value = Date.now()), 1_000);
    return () => {
      watching -= 1;
      if (watching > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, [ticks]);
  return ticks ? second.value : second.peek();
}
