import { describe, expect, it } from 'vitest';
import type { CadreEvent, EventOf } from '../../src/core/events/event.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import { engineVersion } from '../../src/engine/version.ts';
import { countingIds, createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

/** Runs a first engine, closes it, and takes its run up in a second one `later` milliseconds afterwards. */
async function takenUp(replies: Parameters<typeof testEngine>[0], later: number) {
  const store = createMemoryJournal();
  const clock = manualClock();
  const first = await testEngine({ profile: waitsForUser, ...replies, store, clock });
  const run = await first.launch();
  await breathe();
  await first.engine.close();
  const before = await store.read(run.id);
  clock.setWall(clock.now() + later);
  const ids = countingIds();
  const next = await testEngine({
    profile: waitsForUser,
    replies: [{ text: 'again' }, { text: 'and again' }],
    store,
    clock,
    ids: {
      runId: () => `later_${ids.runId()}` as ReturnType<typeof ids.runId>,
      itemId: () => `later_${ids.itemId()}` as ReturnType<typeof ids.itemId>,
    },
  });
  const again = await next.engine.resume(run.id);
  await again.settled();
  return { before, clock, store, next, again };
}

describe('a run that is taken up again says so', () => {
  it('with the version that goes on and the time it lay still, before anything else', async () => {
    const { before, store, again, next } = await takenUp({ replies: [{ hang: true }] }, 7_000);
    const events = await store.read(again.id);
    expect(events[before.length]).toEqual({
      type: 'run.resume',
      runId: again.id,
      seq: before.length + 1,
      at: (before.at(-1)?.at ?? 0) + 7_000,
      engineVersion,
      downMs: 7_000,
    });
    expect(again.state.pausedMs).toBe(7_000);
    expect(again.state.resumes).toEqual([{ at: events[before.length]?.at, downMs: 7_000 }]);
    await verifyRun(again, store, {});
    await next.engine.close();
  });

  it('never with a negative time, when the clock went backwards', async () => {
    const { before, store, again, next } = await takenUp({ replies: [{ hang: true }] }, -3_600_000);
    expect((await store.read(again.id))[before.length]).toMatchObject({ type: 'run.resume', downMs: 0 });
    expect(again.state.pausedMs).toBe(0);
    await next.engine.close();
  });

  it('a run that waited for its user is paused from then until it goes on, once', async () => {
    const { clock, store, again, next } = await takenUp({ replies: [{ text: 'hello' }] }, 10_000);
    expect(again.state).toMatchObject({ status: 'awaiting', pausedMs: 0 });
    await clock.advance(5_000);
    await again.send('go on');
    await again.settled();
    expect(again.state.pausedMs).toBe(15_000);
    expect(foldEvents(await store.read(again.id))).toMatchObject({ pausedMs: 15_000, awaitingSince: again.state.awaitingSince });
    await next.engine.close();
  });

  it('an ended run is not taken up, so it says nothing', async () => {
    const { again, store, next } = await takenUp({ profile: '', replies: [{ text: 'done' }] }, 1_000);
    expect((await store.read(again.id)).some(({ type }) => type === 'run.resume')).toBe(false);
    await next.engine.close();
  });

  it('a fork was taken up when it was made', async () => {
    const { again, next, clock, store } = await takenUp({ replies: [{ text: 'hello' }] }, 1_000);
    clock.setWall(clock.now() + 2_000);
    const fork = await next.engine.fork(again.id);
    await fork.settled();
    const resumes = (await store.read(fork.id)).filter((event): event is EventOf<'run.resume'> => event.type === 'run.resume');
    expect(resumes.at(-1)).toMatchObject({ engineVersion });
    expect(fork.state.seq).toBe((await store.read(fork.id)).length);
    await verifyRun(fork, store, {});
    await next.engine.close();
  });
});

describe('what a resume changes in state', () => {
  const start: CadreEvent = {
    type: 'run.start',
    runId: 'r' as CadreEvent['runId'],
    seq: 1,
    at: 1_000,
    profile: 'Root',
    title: 't',
    input: 'x',
    profiles: 'old' as EventOf<'run.start'>['profiles'],
    limits: {} as EventOf<'run.start'>['limits'],
    engineVersion: '0.0.1',
  };
  const place = (seq: number, at: number) => ({ runId: start.runId, seq, at });

  it('the profiles in use; never the version that began the run', () => {
    const run = foldEvents([
      start,
      { ...place(2, 2_000), type: 'run.resume', engineVersion: '9', downMs: 1_000, profiles: 'new' as typeof start.profiles },
    ]);
    expect(run?.meta).toMatchObject({ profiles: 'new', engineVersion: '0.0.1' });
  });

  it('a resume within a wait does not count twice, and a wait that ends before it began counts for nothing', () => {
    const waits: readonly CadreEvent[] = [
      start,
      { ...place(2, 2_000), type: 'run.status', status: 'awaiting' },
      { ...place(3, 9_000), type: 'run.resume', engineVersion: '1', downMs: 7_000 },
    ];
    expect(foldEvents([...waits, { ...place(4, 10_000), type: 'run.status', status: 'running' }])?.pausedMs).toBe(8_000);
    expect(foldEvents([...waits, { ...place(4, 500), type: 'run.status', status: 'running' }])?.pausedMs).toBe(0);
  });
});
