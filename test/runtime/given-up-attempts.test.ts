import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine, type Engine, type Journal } from '../../src/index.ts';
import type { Applied, Runtime, RuntimeHost } from '../../src/core/runtime.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { assertJournal, createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { LoopRuntime } from '../support/runtime/loop-runtime.ts';
import { mortalJournal } from '../support/runtime/mortal-journal.ts';
import { readLedger, teamOptions } from '../support/runtime/plan-team.ts';
import { until } from '../support/runtime/until.ts';

const newLedger = (): string => path.join(mkdtempSync(path.join(tmpdir(), 'cadre-given-up-')), 'ledger.jsonl');

/** Where an attempt waits: after it asked whether its input was applied, and before it reads the state. */
class Asked {
  readonly #held = new Map<string, { readonly arrived: () => void; readonly goesOn: Promise<void> }>();

  /** Holds the next attempt at an input there; `work` runs while it waits. */
  async during(id: string, attempt: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
    const arrival = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    this.#held.set(id, { arrived: arrival.resolve, goesOn: goesOn.promise });
    const ended = attempt().finally(arrival.resolve);
    await arrival.promise;
    this.#held.delete(id);
    await work();
    goesOn.resolve();
    await ended.catch(() => undefined);
  }

  /** A journal whose attempts are held. */
  of(journal: Journal): Journal {
    const view = mortalJournal(journal).journal;
    const { shared } = view;
    if (shared === undefined) throw new Error('the journal is not shared');
    const hasApplied = async (...about: Parameters<typeof shared.hasApplied>): Promise<boolean> => {
      const answer = await shared.hasApplied(...about);
      const held = this.#held.get(about[1]);
      held?.arrived();
      await held?.goesOn;
      return answer;
    };
    return { ...view, shared: { ...shared, hasApplied } };
  }
}

/**
 * A runtime of two workers by which each input is taken by one, which asks whether it was applied; then by the other, whose answer is lost; and
 * then the first goes on: its answer counts.
 */
function overtaking(runtime: Runtime, asked: Asked, kinds: Set<unknown>): Runtime {
  let other: RuntimeHost | undefined;
  return {
    location: runtime.location,
    name: runtime.name,
    connect: async (journal) => {
      const link = await runtime.connect(journal);
      return {
        ...link,
        serve: async (host) => {
          if (other === undefined) {
            // It is only there to have been given up.
            other = host;
            return { address: 'other', close: () => Promise.resolve() };
          }
          const givenUp = other;
          return await link.serve({
            wake: (runId) => host.wake(runId),
            perform: (runId, work, signal) => host.perform(runId, work, signal),
            apply: async (runId, delivery) => {
              kinds.add(delivery.input['kind']);
              let answer: Promise<Applied> | undefined;
              await asked.during(
                delivery.id,
                () => (answer = host.apply(runId, delivery)),
                () => givenUp.apply(runId, delivery),
              );
              return (await answer) ?? { works: [] };
            },
          });
        },
      };
    },
  };
}

describe('an attempt that was given up goes on', () => {
  it('and applies its input between the question of the next attempt and its read: the input is applied once, and the run goes on', async () => {
    const ledger = newLedger();
    const disk = createMemoryJournal();
    const asked = new Asked();
    const kinds = new Set<unknown>();
    const runtime = overtaking(new LoopRuntime(systemClock), asked, kinds);
    const worker = async (): Promise<Engine> => {
      const engine = await createEngine({ ...teamOptions(ledger, disk), store: asked.of(disk), runtime });
      await engine.work();
      return engine;
    };
    await using _givenUp = await worker();
    await using _next = await worker();
    await using engine = await createEngine({ ...teamOptions(ledger, disk), store: disk, runtime });

    const run = await engine.launch({ profile: 'Root', input: 'plan: look; note; pay; say done' });
    expect((await run.result).output).toBe('done');
    const asks = await engine.launch({ profile: 'Asks', input: 'plan: pay; say paid' });
    await until(() => asks.pending.length > 0);
    await asks.approve(asks.pending[0]?.id ?? '');
    expect((await asks.result).output).toBe('paid');
    const chat = await engine.launch({ profile: 'Chat', input: 'plan: say ready' });
    await chat.settled();
    await chat.send('plan: say more', { itemId: 'more' });
    await chat.settled();
    await chat.cancel();
    for (const { id } of [run, asks, chat]) {
      const events = await disk.read(id);
      assertJournal(events);
      expect(events.filter((event) => event.type === 'inbox.add' && event.item.itemId === 'more').length).toBe(
        id === chat.id ? 1 : 0,
      );
    }
    expect(readLedger(ledger).filter(({ kind, tool }) => kind === 'begin' && tool === 'pay')).toHaveLength(2);
    expect([...kinds]).toEqual(expect.arrayContaining(['look', 'model', 'tool', 'answer', 'post', 'cancel']));
  });

  it('an answer that was refused after its expiry is refused again when it is delivered again', async () => {
    const ledger = newLedger();
    const disk = createMemoryJournal();
    const clock = manualClock();
    let losses = 1;
    // Its alarms never ring: the answer is what finds that the deadline has passed.
    const deaf = { ...systemClock, setTimer: () => () => undefined };
    const runtime = new LoopRuntime(deaf, { losesAnswer: ({ input }) => input['kind'] === 'answer' && losses-- > 0 });
    await using worker = await createEngine({ ...teamOptions(ledger, disk), store: disk, runtime, clock });
    await worker.work();
    await using engine = await createEngine({ ...teamOptions(ledger, disk), store: disk, runtime, clock });
    const run = await engine.launch({ profile: 'Expires', input: 'plan: pay; say not paid' });
    await until(() => run.pending.length > 0);
    const id = run.pending[0]?.id ?? '';
    await clock.advance(5_000);
    await expect(run.approve(id)).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    expect(losses).toBe(0);
    expect(readLedger(ledger)).toEqual([]);
    expect((await run.result).output).toBe('not paid');
  });
});
