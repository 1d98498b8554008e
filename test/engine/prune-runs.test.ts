import { describe, expect, it } from 'vitest';
import type { RunId } from '../../src/core/ids.ts';
import type { Journal, RunSummary } from '../../src/core/events/journal.ts';
import { RunCatalog } from '../../src/engine/run-catalog.ts';
import { countingIds, createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { say, storePath } from '../scenarios/scenario.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

const day = 86_400_000;

const ids = (runs: readonly Pick<RunSummary, 'runId'>[]): readonly string[] => runs.map(({ runId }) => runId).toSorted();

describe('pruning runs', () => {
  it('erases runs that ended long ago, with their texts; younger ones and their texts stay whole', async () => {
    const clock = manualClock();
    const journal = createMemoryJournal();
    const team = await testEngine({ clock, store: journal, replies: [say('a'), say('b')] });
    const old = await team.launch('Old.');
    await old.result;
    await clock.advance(40 * day);
    const young = await team.launch('Young.');
    await young.result;
    const texts = (await journal.read(young.id)).length;
    const dry = await team.engine.catalog.prune({ olderThanMs: 30 * day, dryRun: true });
    expect([ids(dry.runs), dry.texts, (await team.engine.runs()).length]).toEqual([[old.id], 0, 2]);
    const pruned = await team.engine.catalog.prune({ olderThanMs: 30 * day });
    expect(ids(pruned.runs)).toEqual([old.id]);
    expect(ids(await team.engine.runs())).toEqual([young.id]);
    await expect(team.engine.open(old.id)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    // Both had the same profiles and prompts.
    const opened = await team.engine.open(young.id);
    expect((await journal.read(young.id)).length).toBe(texts);
    expect(journal.content(opened.state.meta.profiles)).toContain('Root');
    await team.engine.fork(young.id);
  });

  it('never erases a run that is open or held, unless it is idle and that is asked for, or deleted', async () => {
    const clock = manualClock();
    const store = await storePath();
    const options = { clock, store, profile: waitsForUser, replies: ['a', 'b', 'c'].map((text) => say(text)) };
    const first = await testEngine(options);
    const chat = await first.launch('a');
    await chat.settled();
    const deleted = await first.launch('b');
    await deleted.settled();
    await first.engine.close();
    const second = await testEngine(options);
    const held = await second.engine.launch({ profile: 'Root', input: 'c', runId: 'held' });
    await held.settled();
    await second.engine.catalog.remove(deleted.id);
    await clock.advance(40 * day);
    const prune = second.engine.catalog;
    expect(ids((await prune.prune({ olderThanMs: 30 * day, deleted: true, dryRun: true })).runs)).toEqual([deleted.id]);
    expect(ids((await prune.prune({ olderThanMs: 30 * day })).runs)).toEqual([deleted.id]);
    expect(ids((await prune.prune({ olderThanMs: 30 * day, idle: true })).runs)).toEqual([chat.id]);
    expect(ids(await second.engine.runs())).toEqual([held.id]);
    await second.engine.close();
  });

  it('leaves a run that a process takes meanwhile, and says so', async () => {
    const journal = createMemoryJournal();
    const team = await testEngine({ store: journalAgain(journal), replies: [say('a')] });
    const run = await team.launch();
    await run.result;
    // The engine holds an ended run while late results may come.
    await team.engine.close();
    const lease = await journal.acquire(run.id as RunId, '1@host#x');
    const catalog = new RunCatalog(journal, { now: () => Date.now() + day });
    expect(await catalog.prune({ olderThanMs: 0 })).toMatchObject({ runs: [], held: [run.id] });
    await journal.release(lease);
    expect(ids((await catalog.prune({ olderThanMs: 0 })).runs)).toEqual([run.id]);
  });

  it.each(['goes on', 'is restored'])('leaves a chat that %s while others are erased', async (what) => {
    const clock = manualClock();
    const options = { clock, store: await storePath(), profile: waitsForUser, replies: () => say('yes') };
    const team = await testEngine(options);
    const ids: string[] = [];
    for (const input of ['a', 'b']) {
      const chat = await team.launch(input);
      await chat.settled();
      ids.push(chat.id);
      await clock.advance(day);
    }
    const [first = '', second = ''] = ids;
    await team.engine.close();
    await clock.advance(40 * day);
    const { engine } = await testEngine(options);
    const isDeleted = what === 'is restored';
    if (isDeleted) for (const id of ids) await engine.catalog.remove(id);
    if (isDeleted) await clock.advance(40 * day);
    const onErased = async (): Promise<void> => {
      if (isDeleted) return void (await engine.catalog.restore(second));
      const other = await testEngine(options);
      const chat = await other.engine.resume(second);
      await chat.send('Still there?');
      await chat.settled();
      await other.engine.close();
    };
    const pruned = await engine.catalog.prune({
      olderThanMs: 30 * day,
      onErased,
      ...(isDeleted ? { deleted: true } : { idle: true }),
    });
    expect([pruned.runs.map(({ runId }) => runId), pruned.held]).toEqual([[first], []]);
    expect((await engine.runs()).map(({ runId }) => runId)).toEqual([second]);
    await engine.close();
  });

  it('ends with the failure of a callback: what was erased stays erased, and the rest stays', async () => {
    const clock = manualClock();
    const { engine, launch } = await testEngine({ clock, store: createMemoryJournal(), replies: [say('a'), say('b')] });
    const runs = [await launch('a'), await launch('b')];
    for (const run of runs) await run.result;
    await clock.advance(40 * day);
    const onErased = (): never => {
      throw new Error('no such folder');
    };
    await expect(engine.catalog.prune({ olderThanMs: day, onErased })).rejects.toThrow('no such folder');
    expect(await engine.runs()).toHaveLength(1);
  });

  it('refuses to go on with a fork of a run that is erased meanwhile', async () => {
    const journal = createMemoryJournal();
    const team = await testEngine({ store: journalAgain(journal), replies: [say('a')] });
    const run = await team.launch();
    await run.result;
    await team.engine.close();
    const erasing: Journal = journalAgain(journal, async (runId) => {
      if (runId !== run.id) await journal.erase?.(run.id as RunId);
    });
    const second = await testEngine({ store: erasing, ids: { ...countingIds(), runId: () => 'the_fork' as RunId } });
    await expect(second.engine.fork(run.id)).rejects.toMatchObject({
      code: 'RUN_UNKNOWN',
      message: expect.stringMatching(/was erased/),
    });
    expect(await second.engine.runs()).toEqual([]);
  });

  it('refuses options that it cannot mean, and a store that cannot erase', async () => {
    const { engine, journal } = await testEngine();
    for (const olderThanMs of [-1, Number.NaN, '30d', undefined])
      await expect(engine.catalog.prune({ olderThanMs: olderThanMs as number })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(engine.catalog.prune({ olderThanMs: 0, olderThan: 5 } as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(engine.catalog.prune(undefined as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const { runs, read, location } = journal;
    const catalog = new RunCatalog({ runs, read, location }, manualClock());
    await expect(catalog.prune({ olderThanMs: 0 })).rejects.toThrow('this store cannot erase runs; nothing was erased');
  });
});

/** A journal in memory for another engine: closing it closes nothing. `before` is called before each append. */
function journalAgain(journal: Journal, before?: (runId: RunId) => Promise<void>): Journal {
  return new Proxy(journal, {
    get(target, name) {
      if (name === 'close') return () => undefined;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'append' || before === undefined) return value.bind(target) as unknown;
      const append: Journal['append'] = async (lease, commit) => {
        await before(commit.runId);
        await target.append(lease, commit);
      };
      return append;
    },
  });
}
