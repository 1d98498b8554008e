import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../src/index.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { say, speaks, storePath } from '../scenarios/scenario.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

const titles = async (engine: Engine, filter?: Parameters<Engine['runs']>[0]): Promise<readonly string[]> =>
  (await engine.runs(filter)).map(({ title }) => title).toSorted();

async function threeRuns(): Promise<{ readonly engine: Engine; readonly ids: readonly string[] }> {
  const team = await testEngine({ replies: [say('a'), say('b'), say('c')] });
  const ids: string[] = [];
  for (const title of ['one', 'two', 'three']) {
    const run = await team.engine.launch({ profile: 'Root', input: 'Go.', title });
    await run.settled();
    ids.push(run.id);
  }
  return { engine: team.engine, ids };
}

describe('titles, projects and deletion of runs', () => {
  it('[A1.13.projects] [B.83] runs are renamed, moved between projects and listed by project; a project gets another name, or takes another in', async () => {
    const { engine, ids } = await threeRuns();
    const [one = '', two = '', three = ''] = ids;
    await engine.catalog.rename(one, '  The first  ');
    for (const id of [one, two]) await engine.catalog.move(id, 'Tea');
    await engine.catalog.move(three, 'Coffee');
    expect(await titles(engine, { project: 'Tea' })).toEqual(['The first', 'two']);
    expect((await engine.catalog.projects()).map(({ name, runs }) => [name, runs]).toSorted()).toEqual([
      ['Coffee', 1],
      ['Tea', 2],
    ]);
    expect(await engine.catalog.renameProject('Coffee', 'Tea')).toBe(1);
    expect(await titles(engine, { project: 'Tea' })).toEqual(['The first', 'three', 'two']);
    await engine.catalog.move(three, null);
    await engine.catalog.rename(one, null);
    expect(await titles(engine, { project: 'Tea' })).toEqual(['one', 'two']);
    // Their journals say what they said.
    expect((await engine.open(one)).state.meta.title).toBe('one');
  });

  it('[A5.deletion] a run is deleted with its forks and theirs, and restored with them; its agents are in it', async () => {
    const journal = createMemoryJournal();
    const replies = ['a', 'b', 'c', 'd'].map((text) => say(text));
    const team = await testEngine({ profile: waitsForUser, replies, store: journal });
    const run = await team.launch('root');
    await run.settled();
    const fork = await team.engine.fork(run.id);
    const grandchild = await team.engine.fork(fork.id);
    const other = await team.launch('other');
    await other.settled();
    const family = [run, fork, grandchild];
    // One of them lives: nothing is deleted.
    await run.cancel();
    await grandchild.cancel();
    await expect(team.engine.catalog.remove(run.id, { forks: true })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await expect(team.engine.catalog.remove(fork.id)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect(await team.engine.runs()).toHaveLength(4);
    await fork.cancel();
    const ids = family.map(({ id }) => id).toSorted();
    expect((await team.engine.catalog.remove(run.id, { forks: true })).toSorted()).toEqual(ids);
    expect((await team.engine.runs()).map(({ runId }) => runId)).toEqual([other.id]);
    expect((await team.engine.runs({ isDeleted: true })).map(({ runId }) => runId).toSorted()).toEqual(ids);
    expect(await journal.read(run.id)).not.toEqual([]);
    expect(await team.engine.catalog.restore(fork.id)).toEqual([fork.id]);
    expect((await team.engine.catalog.restore(run.id, { forks: true })).toSorted()).toEqual([run.id, grandchild.id].toSorted());
    expect(await team.engine.runs()).toHaveLength(4);
  });

  it('a deleted run is taken up by nobody; one that nobody has is deleted although it is not over', async () => {
    const store = await storePath();
    const profiles = {
      files: [{ path: 'profiles/A.yaml', text: `name: A\ntype: associate\nllm_config_ref: m\ninstructions: x\n${waitsForUser}` }],
    };
    const first = await createEngine({ profiles, models: { m: speaks('Hello.') }, store });
    const run = await first.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    const second = await createEngine({ profiles, models: { m: speaks('Again.') }, store });
    // Another process, or engine, has it: it takes a title, and is not deleted.
    await second.catalog.rename(run.id, 'Held');
    await expect(second.catalog.remove(run.id)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await first.close();
    await second.catalog.remove(run.id);
    await expect(second.resume(run.id)).rejects.toMatchObject({ code: 'RUN_DELETED' });
    await expect(second.cancel(run.id)).rejects.toMatchObject({ code: 'RUN_DELETED' });
    expect(await second.recover()).toEqual([]);
    await second.catalog.restore(run.id);
    const resumed = await second.resume(run.id);
    await resumed.send('More.');
    await resumed.settled();
    expect(await second.runs()).toMatchObject([{ title: 'Held', turns: 2 }]);
    await second.close();
  });

  it('a run whose beginning is damaged is nobody’s fork, and keeps no other from being deleted with its forks', async () => {
    const store = await storePath();
    const team = await testEngine({ profile: waitsForUser, replies: [say('a'), say('b')], store });
    const damaged = await team.launch('one');
    const run = await team.launch('two');
    await Promise.all([damaged.settled(), run.settled()]);
    const fork = await team.engine.fork(run.id);
    await Promise.all([damaged, run, fork].map((one) => one.cancel()));
    const database = new DatabaseSync(store);
    database.prepare(`UPDATE commits SET body = 'x' || substr(body, 2) WHERE key = (SELECT min(key) FROM commits)`).run();
    database.close();
    const ids = [run.id, fork.id].toSorted();
    expect((await team.engine.catalog.remove(run.id, { forks: true })).toSorted()).toEqual(ids);
    expect((await team.engine.catalog.restore(run.id, { forks: true })).toSorted()).toEqual(ids);
    expect(await team.engine.catalog.remove(damaged.id, { forks: true })).toEqual([damaged.id]);
    await team.engine.close();
  });

  it.each([
    ['rename', ''],
    ['rename', 'x'.repeat(201)],
    ['rename', 'two\nlines'],
    ['move', '  '],
    ['move', 'a\u0007b'],
    ['move', 'x'.repeat(101)],
  ] as const)('%s refuses what is no line of words', async (what, words) => {
    const { engine, ids } = await threeRuns();
    await expect(engine.catalog[what](ids[0] ?? '', words)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(await titles(engine)).toEqual(['one', 'three', 'two']);
  });

  it('says what there is when there is no such run or project, and when a store has no place for it', async () => {
    const { engine } = await threeRuns();
    await expect(engine.catalog.rename('run_none', 'x')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await expect(engine.catalog.remove('run_none')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await expect(engine.catalog.renameProject('Tea', 'Coffee')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const bare = createMemoryJournal();
    Object.assign(bare, { mark: undefined });
    const team = await testEngine({ store: bare, replies: [say('a')] });
    const run = await team.launch();
    await run.settled();
    await expect(team.engine.catalog.rename(run.id, 'x')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});
