import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/engine/system-clock.ts';

afterEach(() => void vi.useRealTimers());

it('a test that puts other clocks in their place is followed, by the time of events and by deadlines', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 });
  const began = systemClock.monotonic();
  let rang = false;
  systemClock.setTimer(5_000, () => (rang = true));
  vi.advanceTimersByTime(5_000);
  expect([rang, systemClock.now(), systemClock.monotonic() - began]).toEqual([true, 6_000, 5_000]);
});
