import { describe, expect, it, vi } from 'vitest';
import { DueEffects } from '../../src/engine/effects/due-effects.ts';
import { LoopThrottle } from '../../src/engine/run/loop-throttle.ts';
import type { Effect } from '../../src/core/events/transaction.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import { testEngine } from '../support/test-engine.ts';

/** Turns of the event loop that a test takes by hand. */
function handLoop(): { readonly defer: (callback: () => void) => void; turn(): Promise<void> } {
  let due: (() => void)[] = [];
  return {
    defer: (callback) => void due.push(callback),
    turn: async () => {
      const now = due;
      due = [];
      for (const callback of now) callback();
      await new Promise(setImmediate);
    },
  };
}

describe('F49: crowds pass in portions', () => {
  it('so many in one turn of the event loop, in the order in which they came; one that comes alone passes at once', async () => {
    const loop = handLoop();
    const loopThrottle = new LoopThrottle({ clock: { monotonic: () => 0 }, defer: loop.defer });
    expect(loopThrottle.pass(8)).toBeUndefined();
    await loop.turn();
    const passed: number[] = [];
    for (let number = 0; number < 10; number += 1) void Promise.resolve(loopThrottle.pass(8)).then(() => void passed.push(number));
    await Promise.resolve();
    await Promise.resolve();
    expect(passed).toEqual([0, 1, 2, 3]);
    await loop.turn();
    expect(passed).toHaveLength(8);
    await loop.turn();
    expect(passed).toEqual(Array.from({ length: 10 }, (_, number) => number));
    await loop.turn();
    expect(loopThrottle.pass(32)).toBeUndefined();
  });

  it('slow work ends a portion by its time: the event loop turns after 8 ms, and nothing waits for ever', async () => {
    const loop = handLoop();
    let now = 0;
    const loopThrottle = new LoopThrottle({ clock: { monotonic: () => now }, defer: loop.defer });
    const passed: number[] = [];
    const work = async (number: number, ms: number): Promise<void> => {
      await loopThrottle.pass(1);
      passed.push(number);
      now += ms;
    };
    const all = [3, 3, 3, 3, 100, 1, 1].map((ms, number) => work(number, ms));
    await Promise.resolve();
    await Promise.resolve();
    // Passing itself is free: those that came first passed before any of them had worked.
    expect(passed).toHaveLength(7);
    const slow = [3, 3, 3, 3, 100, 1, 1].map((ms, number) => work(10 + number, ms));
    passed.length = 0;
    // After more than 25 ms of work, timers and sockets come first.
    await loop.turn();
    expect(passed).toEqual([]);
    await loop.turn();
    expect(passed).toEqual([10, 11, 12]);
    await loop.turn();
    expect(passed).toEqual([10, 11, 12, 13, 14]);
    await loop.turn();
    expect(passed).toHaveLength(5);
    await loop.turn();
    expect(passed).toEqual([10, 11, 12, 13, 14, 15, 16]);
    await Promise.all([...all, ...slow]);
  });

  it('one long commit alone ends its portion, also the first after a pause, and one that waited for its store', async () => {
    const loop = handLoop();
    let now = 0;
    const loopThrottle = new LoopThrottle({ clock: { monotonic: () => now }, defer: loop.defer });
    const went: string[] = [];
    loopThrottle.begin();
    now += 40;
    expect(loopThrottle.delays(10, () => void went.push('first'))).toBe(true);
    await loop.turn();
    expect(went).toEqual([]);
    await loop.turn();
    expect(went).toEqual(['first']);
    await loop.turn();
    loopThrottle.begin();
    now += 7;
    expect(loopThrottle.delays(10, () => void went.push('short'))).toBe(false);
    await loop.turn();
    await loop.turn();
    now += 40;
    // Its portion is over: the wait for the store let the event loop turn.
    expect(loopThrottle.delays(10, () => void went.push('stored'))).toBe(false);
    expect(loopThrottle.delays(1_000, () => void went.push('heavy'))).toBe(true);
    await loop.turn();
    expect(went).toEqual(['first', 'heavy']);
  });

  it('effects of a crowd begin in their order, and whatever comes meanwhile behind them', async () => {
    const loop = handLoop();
    const begun: number[] = [];
    let idle = 0;
    const due = new DueEffects({
      run: { state: {} as RunContext },
      effects: { start: (_run, effect) => void begun.push((effect as unknown as { readonly n: number }).n) },
      defer: loop.defer,
      onIdle: () => (idle += 1),
    });
    const effects = (from: number, to: number): readonly Effect[] =>
      Array.from({ length: to - from }, (_, index) => ({ n: from + index }) as unknown as Effect);
    due.add(effects(0, 3));
    expect([begun.length, due.size]).toEqual([3, 0]);
    due.add(effects(3, 150));
    expect(begun).toHaveLength(3 + 32);
    due.add(effects(150, 152));
    while (due.size > 0) await loop.turn();
    expect(begun).toEqual(Array.from({ length: 152 }, (_, index) => index));
    expect(idle).toBe(1);
    due.add(effects(0, 100));
    due.clear();
    await loop.turn();
    expect(begun).toHaveLength(152 + 32);
  });

  it('a test that fakes the timers of its process stops nothing', async () => {
    const team = await testEngine({ replies: () => ({ text: 'done' }) });
    vi.useFakeTimers();
    try {
      for (let run = 0; run < 50; run += 1) await (await team.launch()).result;
    } finally {
      vi.useRealTimers();
    }
    await (
      await team.launch()
    ).result;
    await team.engine.close();
  });

  it('200 launches at once let the event loop turn in between', async () => {
    const team = await testEngine({ replies: () => ({ text: 'done' }) });
    let turns = 0;
    let isOver = false;
    const tick = (): void => {
      turns += 1;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    const runs = await Promise.all(Array.from({ length: 200 }, async () => await team.launch()));
    isOver = true;
    expect(turns).toBeGreaterThan(10);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(200);
    await team.engine.close();
  });
});
