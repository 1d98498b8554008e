import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Current time, by the second, updated while a component uses it. */
const second = signal(Date.now());
let watching = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the time in milliseconds since 1970, updated every second while `ticks` is true. */
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
