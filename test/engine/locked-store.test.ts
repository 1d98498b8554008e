import { afterEach, beforeEach, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';

function locked(): CadreError {
  return new CadreError('STORE_FAILED', 'another process keeps the file locked', { details: { isLocked: true, mayPass: true } });
}

/** A journal that other processes keep locked for the next `locked` appends; it says so after a while, as SQLite's does. */
interface Lockable {
  readonly store: Journal;
  locked: number;
  /** No lease can be taken. */
  isHeld: boolean;
  tries: number;
}

function lockable(): Lockable {
  const inner = createMemoryJournal();
  const journal: Lockable = {
    locked: 0,
    isHeld: false,
    tries: 0,
    store: {
      location: inner.location,
      acquire: (runId, owner) => (journal.isHeld ? Promise.reject(locked()) : inner.acquire(runId, owner)),
      release: (lease) => inner.release(lease),
      append: (lease, commit) => {
        journal.tries += 1;
        if (journal.locked === 0) return inner.append(lease, commit);
        journal.locked -= 1;
        return Promise.reject(locked());
      },
      read: (runId, options) => inner.read(runId, options),
      content: (hash) => inner.content(hash),
      runs: (filter) => inner.runs(filter),
      close: () => undefined,
    },
  };
  return journal;
}

const warnings: string[] = [];
const listen = (warning: Error): void => void warnings.push(warning.message);
beforeEach(() => {
  warnings.length = 0;
  process.on('warning', listen);
});
afterEach(() => void process.off('warning', listen));

it('F49: a run waits for a store that another process keeps locked, says so, and goes on', async () => {
  const clock = manualClock();
  const disk = lockable();
  const team = await testEngine({ profile: waitsForUser, store: disk.store, clock, replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const run = await team.launch();
  await run.settled();
  disk.locked = 5;
  const sent = run.send('and now?');
  for (let round = 0; round < 12; round += 1) {
    await clock.advance(1_000);
    await breathe();
  }
  await sent;
  await run.settled();
  expect(run.turns().map(({ reply }) => reply.text)).toEqual(['One.', 'Two.']);
  const events = await disk.store.read(run.id);
  expect(events).toContainEqual(expect.objectContaining({ type: 'note.add', code: 'STORE_WAITED', level: 'warning' }));
  expect(warnings.filter((words) => words.includes('waits'))).toEqual([expect.stringContaining(run.id)]);
  await team.engine.close();
});

it('F49: after two minutes it halts at its last commit, and can be resumed', async () => {
  const clock = manualClock();
  const disk = lockable();
  const team = await testEngine({ profile: waitsForUser, store: disk.store, clock, replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const run = await team.launch();
  await run.settled();
  disk.locked = 100_000;
  const sent = run.send('and now?').catch((error: unknown) => error);
  for (let round = 0; round < 130; round += 1) {
    await clock.advance(1_000);
    await breathe();
  }
  expect(await sent).toMatchObject({ code: 'STORE_FAILED', details: { isLocked: true } });
  disk.locked = 0;
  const again = await team.engine.resume(run.id);
  await again.send('and now?');
  await again.settled();
  expect(again.turns().map(({ reply }) => reply.text)).toEqual(['One.', 'Two.']);
  await team.engine.close();
});

it('F49: a run that halted at a locked store is resumed by its own engine once the store can be written', async () => {
  const clock = manualClock();
  const disk = lockable();
  const replies = [{ text: 'One.' }, { text: 'Two.' }];
  const team = await testEngine({ profile: waitsForUser, store: disk.store, clock, replies });
  const run = await team.launch();
  await run.settled();
  disk.locked = 100_000;
  const sent = run.send('and now?').catch((error: unknown) => error);
  const pass = async (seconds: number): Promise<void> => {
    for (let round = 0; round < seconds; round += 1) {
      await clock.advance(1_000);
      await breathe();
    }
  };
  await pass(125);
  expect(await sent).toMatchObject({ code: 'STORE_FAILED' });
  expect(team.engine.live(run.id)).toBeUndefined();
  // It is tried as often as it takes.
  await pass(60 + 125);
  expect(team.engine.live(run.id)?.state.turns.size ?? 1).toBe(1);
  disk.locked = 0;
  await pass(160);
  const again = team.engine.live(run.id);
  await again?.send('and now?');
  await again?.settled();
  expect(again?.turns().map(({ reply }) => reply.text)).toEqual(['One.', 'Two.']);
  await team.engine.close();
});

it('F49: what recover cannot resume because the store is locked is resumed later', async () => {
  const clock = manualClock();
  const disk = lockable();
  const first = await testEngine({ profile: waitsForUser, store: disk.store, clock, replies: [{ hang: true }] });
  const { id } = await first.launch();
  await first.engine.close();
  const next = await testEngine({ profile: waitsForUser, store: disk.store, clock, replies: [{ text: 'On.' }] });
  disk.isHeld = true;
  expect(await next.engine.recover()).toMatchObject([{ runId: id, error: { code: 'STORE_FAILED' } }]);
  await clock.advance(30_000);
  await breathe();
  expect(next.engine.live(id)).toBeUndefined();
  disk.isHeld = false;
  await clock.advance(30_000);
  await breathe();
  await next.engine.live(id)?.settled();
  expect(next.engine.live(id)?.turns()[0]?.reply.text).toBe('On.');
  await next.engine.close();
});

it('F49: an engine that closes waits for no lock any more', async () => {
  const clock = manualClock();
  const disk = lockable();
  const team = await testEngine({ profile: waitsForUser, store: disk.store, clock, replies: [{ text: 'One.' }] });
  const run = await team.launch();
  await run.settled();
  disk.locked = 100_000;
  const sent = run.send('and now?').catch((error: unknown) => error);
  await breathe();
  const closing = team.engine.close();
  for (let round = 0; round < 5; round += 1) {
    await clock.advance(1_000);
    await breathe();
  }
  await closing;
  expect(await sent).toMatchObject({ code: 'STORE_FAILED' });
  expect(disk.tries).toBeLessThan(10);
});
