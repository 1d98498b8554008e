import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { RunStore } from '../../web/data/run-store.ts';
import type { RunSink } from '../../web/data/run-source.ts';
import { finish, teamJournal } from '../inspect/team-journal.ts';

/** Creates a store that is fed events, and texts once they are available. */
function storeOf(events: readonly CadreEvent[], contents: ReadonlyMap<string, string>) {
  let sink: RunSink | undefined;
  let asked = 0;
  const store = new RunStore('run1', {
    isServed: true,
    open: (given) => {
      sink = given;
      return () => undefined;
    },
    contents: async (hashes) => {
      asked += 1;
      return Object.fromEntries(hashes.map((hash) => [hash, contents.get(hash) ?? null]));
    },
    profiles: async () => new Map(),
  });
  let at = 0;
  /** Feeds events up to the first that fits. */
  const upTo = (fits: (event: CadreEvent) => boolean): void => {
    const end = events.findIndex((event, index) => index >= at && fits(event));
    sink?.events(events.slice(at, end + 1));
    sink?.connection({ kind: 'live' });
    at = end + 1;
  };
  return { store, upTo, asked: () => asked };
}

describe('records of turns in the page', () => {
  it('are made anew when something of their own turn changed, and not for what happens elsewhere', async () => {
    const journal = finish(teamJournal());
    const { store, upTo } = storeOf(journal.events, journal.contents);
    await Promise.resolve();
    upTo((event) => event.type === 'turn.start' && event.turnId === 'Assoc_1.t1');
    const partner = store.turn('Partner_1.t1');
    void partner?.prompt;
    expect(partner?.status).toBe('running');
    expect(store.turn('Partner_1.t1')).toBe(partner);
    const begun = store.turn('Assoc_1.t1');
    upTo((event) => event.type === 'model.end' && event.turnId === 'Assoc_1.t1');
    expect(store.turn('Partner_1.t1')).toBe(partner);
    const answered = store.turn('Assoc_1.t1');
    expect(answered).not.toBe(begun);
    expect(answered?.attempts).toHaveLength(1);
    // The prompt is fixed when a turn begins.
    expect(answered?.prompt).toBe(begun?.prompt);
    upTo((event) => event.type === 'turn.end' && event.turnId === 'Partner_1.t1');
    expect(store.turn('Partner_1.t1')?.status).toBe('completed');
    store.close();
  });

  it('[A1.6.other-turn-types] are there for turns that no model takes, the same as elsewhere', async () => {
    const journal = finish(teamJournal());
    const { store, upTo } = storeOf(journal.events, journal.contents);
    await Promise.resolve();
    upTo((event) => event.type === 'turn.end' && event.turnId === 'Partner_1.t1');
    const said = store.turn('Partner_1.t1')?.sourceTurnIds.at(-1) ?? '';
    expect(said).toMatch(/^turn_user_\d+$/);
    expect(store.turn(said)).toMatchObject({ turnType: 'user', agentId: 'Partner_1', inputs: [{ source: 'USER_PROMPT' }] });
    expect(store.turn(said)).toBe(store.turn(said));
    expect(store.turn('turn_user_999')).toBeUndefined();
    store.close();
  });

  it('are made anew when the texts they lacked have come', async () => {
    const journal = finish(teamJournal());
    const { store, upTo, asked } = storeOf(journal.events, journal.contents);
    upTo((event) => event.type === 'turn.end' && event.turnId === 'Partner_1.t1');
    for (let round = 0; round < 6; round++) {
      void store.turn('Partner_1.t1')?.prompt.text;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(store.turn('Partner_1.t1')?.prompt.text).toContain('You are the Partner.');
    // Missing texts are not requested over and over.
    const before = asked();
    expect(store.turn('Partner_1.t1')).toBe(store.turn('Partner_1.t1'));
    expect(asked()).toBe(before);
    store.close();
  });

  it('get the texts and the places in profiles that could not be had, when the server answers again', async () => {
    const journal = finish(teamJournal());
    let isAway = true;
    let sink: RunSink | undefined;
    const orFail = <Value>(value: Value): Promise<Value> =>
      isAway ? Promise.reject(new Error('the server does not answer')) : Promise.resolve(value);
    const store = new RunStore('run1', {
      isServed: true,
      open: (given) => {
        sink = given;
        return () => undefined;
      },
      contents: (hashes) => orFail(Object.fromEntries(hashes.map((hash) => [hash, journal.contents.get(hash) ?? null]))),
      profiles: () => orFail(new Map()),
    });
    sink?.events(journal.events);
    sink?.connection({ kind: 'lost' });
    const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await soon();
    void store.turn('Partner_1.t1')?.prompt.text;
    await soon();
    expect(store.turn('Partner_1.t1')?.prompt.text).not.toContain('You never lie.');
    isAway = false;
    sink?.connection({ kind: 'live' });
    for (let round = 0; round < 5 && store.profiles === undefined; round++) await soon();
    expect(store.profiles).toEqual(new Map());
    for (let round = 0; round < 5; round++) {
      void store.turn('Partner_1.t1')?.prompt.text;
      await soon();
    }
    expect(store.turn('Partner_1.t1')?.prompt.text).toContain('You never lie.');
    store.close();
  });
});
