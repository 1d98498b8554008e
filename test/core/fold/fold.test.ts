import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyEvent, foldEvents, startRun } from '../../../src/core/fold/apply-event.ts';
import { countSignature } from '../../../src/core/fold/streaks.ts';
import type { SubContext } from '../../../src/core/state/sub-context.ts';
import type { CadreEvent } from '../../../src/index.ts';
import { richJournal } from '../../support/rich-journal.ts';
import { plainState } from '../../support/verify-run.ts';

const copy = (events: readonly CadreEvent[]): readonly CadreEvent[] => JSON.parse(JSON.stringify(events)) as readonly CadreEvent[];

describe('the fold', () => {
  it('state = fold(journal): event by event, all at once, twice, and after a trip through JSON, it is the same', async () => {
    const events = await richJournal();
    const whole = plainState(foldEvents(copy(events)));
    expect(plainState(foldEvents(copy(events)))).toEqual(whole);
    const first = copy(events)[0];
    if (first?.type !== 'run.start') throw new Error('no run.start');
    const state = startRun(first);
    copy(events)
      .slice(1)
      .forEach((event, index) => {
        applyEvent(state, event);
        expect(state.seq).toBe(index + 2);
      });
    expect(plainState(state)).toEqual(whole);
  });

  it('the fold of a prefix, and then of the rest, is the fold of the whole', async () => {
    const events = await richJournal();
    const whole = plainState(foldEvents(copy(events)));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: events.length }), (at) => {
        const stored = copy(events);
        const state = foldEvents(stored.slice(0, at));
        if (state === undefined) throw new Error('no state');
        for (const event of stored.slice(at)) applyEvent(state, event);
        expect(plainState(state)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('the fold never changes an event', async () => {
    const events = copy(await richJournal());
    const before = JSON.stringify(events);
    foldEvents(events);
    expect(JSON.stringify(events)).toBe(before);
  });

  it('activity comes to nothing when nothing runs, and a final status stays', async () => {
    const state = foldEvents(await richJournal());
    expect(state).toMatchObject({ activity: 0, status: 'cancelled', outcome: 'cancelled' });
    expect([...(state?.agents.values() ?? [])].every((agent) => agent.status === 'ended' && agent.calls.open.size === 0)).toBe(
      true,
    );
  });

  it('K7: a journal that speaks of agents or turns that never were is corrupt', async () => {
    const events = copy(await richJournal());
    const bent = (seq: number, change: object): readonly CadreEvent[] =>
      events.map((event) => (event.seq === seq ? ({ ...event, ...change } as CadreEvent) : event));
    const post = events.find((event) => event.type === 'inbox.add')?.seq ?? 0;
    const model = events.find((event) => event.type === 'model.end')?.seq ?? 0;
    expect(() => foldEvents(bent(post, { agentId: 'Nobody_9' }))).toThrow(
      expect.objectContaining({ code: 'STORE_CORRUPT' }) as Error,
    );
    expect(() => foldEvents(bent(model, { turnId: 'Nobody_9.t1' }))).toThrow(
      expect.objectContaining({ code: 'STORE_CORRUPT' }) as Error,
    );
    expect(foldEvents([])).toBeUndefined();
    expect(foldEvents(events.slice(1))).toBeUndefined();
  });

  it('values: paths through prototypes change nothing, objects are made on the way, lists grow and shrink', async () => {
    const events = await richJournal();
    const root = events.find((event) => event.type === 'agent.start');
    if (root === undefined) throw new Error('no agent');
    const after = (updates: readonly object[]): unknown => {
      const state = foldEvents(events.slice(0, 3));
      updates.forEach(
        (update, index) =>
          state !== undefined &&
          applyEvent(state, {
            type: 'state.update',
            scope: 'agent',
            agentId: root.agentId,
            runId: root.runId,
            seq: 4 + index,
            at: 1,
            ...update,
          } as CadreEvent),
      );
      const agent = state?.agents.get(root.agentId);
      return { flags: agent?.flags, values: agent?.values };
    };
    expect(
      after([
        { operation: 'set', path: 'flags.__proto__.x', value: 1 },
        { operation: 'set', path: 'flags.constructor.prototype.x', value: 1 },
      ]),
    ).toEqual({ flags: {}, values: {} });
    expect(({} as { x?: number }).x).toBeUndefined();
    expect(
      after([
        { operation: 'increment', path: 'flags.a.b' },
        { operation: 'increment', path: 'flags.a.b', value: 2 },
        { operation: 'increment', path: 'flags.a.b', value: 'x' },
      ]),
    ).toEqual({ flags: { a: { b: 4 } }, values: {} });
    expect(
      after([
        { operation: 'append', path: 'values.l', value: { n: 1 } },
        { operation: 'append', path: 'values.l', value: 2 },
        { operation: 'remove', path: 'values.l', value: { n: 1 } },
      ]),
    ).toEqual({ flags: {}, values: { l: [2] } });
    expect(
      after([
        { operation: 'set', path: 'flags.a', value: 'text' },
        { operation: 'set', path: 'flags.a.b', value: 1 },
        { operation: 'remove', path: 'flags.never.there' },
      ]),
    ).toMatchObject({ flags: { a: { b: 1 } } });
    expect(after([{ operation: 'set', path: 'free', value: true }])).toEqual({ flags: {}, values: { free: true } });
  });
});

describe('stagnation', () => {
  let agent: SubContext;
  beforeAll(async () => {
    const first = [...(foldEvents((await richJournal()).slice(0, 3))?.agents.values() ?? [])][0];
    if (first === undefined) throw new Error('no agent');
    agent = first;
  });
  const streakOf = (signatures: string): number => {
    agent.streaks.signatures.length = 0;
    for (const signature of signatures) countSignature(agent, signature);
    return agent.counters.sameActionSameResultStreak;
  };

  it.each([
    ['a', 0],
    ['ab', 0],
    ['aa', 1],
    ['aaa', 2],
    ['abab', 1],
    ['ababab', 2],
    ['abcabc', 1],
    ['abcdabcd', 1],
    ['aab', 0],
    ['abcde', 0],
  ])('after %s the streak is %i', (signatures, streak) => {
    expect(streakOf(signatures)).toBe(streak);
  });

  it('a new action ends every streak; memory stays bounded', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[abc]{0,40}$/), (text) => {
        expect(streakOf(`${text}z`)).toBe(0);
      }),
    );
  });
});
