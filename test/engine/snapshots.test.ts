import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEvent, foldEvents } from '../../src/core/fold/apply-event.ts';
import type { RunId } from '../../src/core/ids.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import { readState } from '../../src/engine/recovery/read-state.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { say, storePath } from '../scenarios/scenario.ts';
import { RandomRun } from '../support/random-run.ts';
import { deciderCount, randomProfiles, reply, step } from '../support/random-team.ts';
import { richJournal } from '../support/rich-journal.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

/** A chat over a journal file: each message is a turn. */
async function chat(store: string, snapshotEvery = 20) {
  const team = await testEngine({ store, snapshotEvery, profile: waitsForUser, replies: () => say('yes') });
  return team;
}

async function talk(store: string, messages: number): Promise<RunId> {
  const { engine, launch } = await chat(store);
  const run = await launch('0');
  for (let message = 1; message < messages; message += 1) {
    await run.settled();
    await run.send(`${message}`);
  }
  await run.settled();
  await engine.close();
  return run.id as RunId;
}

/** Reads a run's state, and counts the events that were read for it. */
async function taken(file: string, runId: RunId): Promise<{ readonly state: RunContext; readonly read: number }> {
  const journal = createSqliteJournal(file, { readOnly: true });
  let read = 0;
  const counting: Pick<Journal, 'read' | 'snapshot' | 'snapshotParts'> = {
    read: async (...given) => {
      const events = await journal.read(...given);
      read += events.length;
      return events;
    },
    snapshot: (id) => journal.snapshot?.(id),
    snapshotParts: (id) => journal.snapshotParts?.(id) ?? new Map(),
  };
  const state = await readState(counting, runId);
  deepStrictEqual(state, foldEvents(await journal.read(runId)));
  await journal.close();
  return { state, read };
}

function edit(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('snapshots of a run', () => {
  it('a run is taken with its snapshot and the events after it, and is the same', async () => {
    const store = await storePath();
    const runId = await talk(store, 12);
    const { state, read } = await taken(store, runId);
    expect(state.seq).toBeGreaterThan(60);
    expect(read).toBeLessThan(30);
    const { engine } = await chat(store);
    const run = await engine.resume(runId);
    await run.send('once more');
    await run.settled();
    expect(run.turns()).toHaveLength(13);
    await engine.close();
    await taken(store, runId);
  });

  it('a resumed run goes on from the snapshot it was read with: no part is written twice', async () => {
    const store = await storePath();
    const runId = await talk(store, 20);
    const before = createSqliteJournal(store);
    const names = [...((await before.snapshotParts?.(runId)) ?? [])].map(([name]) => name);
    expect(names.length).toBeGreaterThan(2);
    const written: string[] = [];
    const counting: Journal = new Proxy(before, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          if (name === 'keepSnapshotPart') written.push(String(given[1]));
          return value.apply(target, given) as unknown;
        };
      },
    });
    const { engine } = await testEngine({ store: counting, snapshotEvery: 20, profile: waitsForUser, replies: () => say('yes') });
    const run = await engine.resume(runId);
    for (let message = 0; message < 8; message += 1) {
      await run.send(`and ${message}`);
      await run.settled();
    }
    await engine.close();
    await before.close();
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((name) => names.includes(name))).toEqual([]);
    await taken(store, runId);
  });

  it.each([
    ['the body was changed', `UPDATE snapshots SET body = zeroblob(length(body))`],
    ['it is of another version', `UPDATE snapshots SET layout = '9.9.9 state 1'`],
    ['its commit is another one', `UPDATE snapshots SET commit_sum = commit_sum + 1`],
    ['it lies between two commits', `UPDATE snapshots SET seq = seq - 1`],
    ['it lies after the end', `UPDATE snapshots SET seq = seq + 100000`],
    ['it is of another run', `UPDATE snapshots SET run_id = 'run_9'`],
    ['a part of its history was changed', `UPDATE snapshot_parts SET body = replace(body, 'yes', 'no!')`],
    ['a part of its history is missing', `DELETE FROM snapshot_parts WHERE name LIKE '% 1'`],
  ])('a run is read from its events when %s', async (_, sql) => {
    const store = await storePath();
    const runId = await talk(store, 8);
    edit(store, sql);
    const { state, read } = await taken(store, runId);
    expect(read).toBeGreaterThanOrEqual(state.seq);
  });

  it('one that was made or changed without the key does not count in a sealed journal', async () => {
    const store = await storePath();
    const integrity = { key: 'a key of more than sixteen bytes' };
    const options = { integrity, snapshotEvery: 10, profile: waitsForUser, replies: () => say('yes') };
    const { engine, launch } = await testEngine({ ...options, store });
    const run = await launch();
    for (const message of ['a', 'b', 'c']) {
      await run.settled();
      await run.send(message);
    }
    await run.settled();
    await engine.close();
    const found = async (): Promise<unknown> => {
      const journal = createSqliteJournal(store, { readOnly: true, integrity });
      const snapshot = await journal.snapshot?.(run.id as RunId);
      await journal.close();
      return snapshot;
    };
    expect(await found()).toMatchObject({ seq: expect.any(Number) as number });
    edit(store, `UPDATE snapshots SET seal = zeroblob(32)`);
    expect(await found()).toBeUndefined();
    edit(store, `UPDATE snapshots SET seal = NULL`);
    expect(await found()).toBeUndefined();
  });

  it('is dropped when the run ends, and erased with it', async () => {
    const store = await storePath();
    const { engine, launch } = await chat(store);
    const run = await launch('0');
    for (const message of ['1', '2', '3', '4']) {
      await run.settled();
      await run.send(message);
    }
    await run.settled();
    const rows = (): unknown => {
      const database = new DatabaseSync(store, { readOnly: true });
      const count = database.prepare('SELECT count(*) AS rows FROM snapshots').get()?.['rows'];
      database.close();
      return count;
    };
    expect(rows()).toBe(1);
    await run.cancel('enough');
    await run.result;
    await engine.close();
    expect(rows()).toBe(0);
  });

  it('a store that cannot keep one changes nothing', async () => {
    const journal = createSqliteJournal(await storePath());
    const failing: Journal = new Proxy(journal, {
      get(target, name) {
        if (name === 'keepSnapshot') return () => Promise.reject(new Error('no room'));
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const team = await testEngine({ store: failing, snapshotEvery: 1, replies: [say('done')] });
    const run = await team.launch();
    expect((await run.result).output).toBe('done');
    await team.engine.close();
    await journal.close();
  });

  it('holds a state at any event of a rich run, to the last detail', async () => {
    const events = await richJournal();
    for (let at = 1; at < events.length; at += 1) {
      const state = deserialize(serialize(foldEvents(events.slice(0, at)))) as RunContext;
      for (const event of events.slice(at)) applyEvent(state, event);
      deepStrictEqual(state, foldEvents(events));
    }
  });

  it('holds a state at any event of random teams, which go on from it after each restart', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { maxLength: 14 }),
        fc.array(step, { maxLength: 14 }),
        fc.tuple(fc.nat(deciderCount - 1), fc.nat(deciderCount - 1)),
        async (replies, steps, [root, worker]) => {
          count += 1;
          const file = await storePath();
          const journal = createSqliteJournal(file);
          const engine = () => ({ snapshotEvery: 1 + (count % 9) });
          const random = new RandomRun({ replies, profiles: randomProfiles(root, worker), journal, engine });
          await random.start();
          for (const next of steps) await random.take(next);
          await random.settle();
          const runId = random.run.id as RunId;
          await random.close();
          const events = await journal.read(runId);
          await journal.close();
          await taken(file, runId);
          const whole = foldEvents(events);
          for (let at = 1; at < events.length; at += 1 + (count % 5)) {
            const state = deserialize(serialize(foldEvents(events.slice(0, at)))) as RunContext;
            for (const event of events.slice(at)) applyEvent(state, event);
            deepStrictEqual(state, whole);
          }
        },
      ),
      { numRuns: Number(process.env['RANDOM_RUNS'] ?? 200) / 8 },
    );
  }, 300_000);
});
