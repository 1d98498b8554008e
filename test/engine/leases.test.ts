import { describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { Journal } from '../../src/index.ts';
import { countingIds, createMemoryJournal } from '../../src/testing/index.ts';
import { breathe, gate, testEngine } from '../support/test-engine.ts';

/** A journal that counts the leases it has given out, with methods of a test's own. */
function counting(own: (inner: Journal) => Partial<Journal>): { readonly store: Journal; readonly held: Set<string> } {
  const inner = createMemoryJournal();
  const held = new Set<string>();
  const mine = own(inner);
  return {
    held,
    store: {
      location: inner.location,
      acquire: async (runId, owner) => {
        const lease = await (mine.acquire ?? inner.acquire.bind(inner))(runId, owner);
        held.add(runId);
        return lease;
      },
      release: async (lease) => {
        await inner.release(lease);
        held.delete(lease.runId);
      },
      append: mine.append ?? ((lease, commit) => inner.append(lease, commit)),
      read: mine.read ?? ((runId, options) => inner.read(runId, options)),
      content: mine.content ?? ((hash) => inner.content(hash)),
      runs: () => inner.runs(),
      close: () => undefined,
    },
  };
}

function laterIds(): ReturnType<typeof countingIds> {
  const ids = countingIds();
  for (let used = 0; used < 5; used++) ids.runId();
  return ids;
}

const full = new CadreError('STORE_FAILED', 'no space left');

describe('a lease whose run does not come to life is given back', () => {
  it.each(['launch', 'fork', 'resume'] as const)('when the first append of a %s fails', async (how) => {
    let isFull = false;
    const { store, held } = counting((inner) => ({
      append: (lease, commit) => {
        if (isFull) throw full;
        return inner.append(lease, commit);
      },
    }));
    const first = await testEngine({ store, replies: [{ text: 'done' }, { text: 'done', hang: true }] });
    const done = await first.launch();
    await done.result;
    const cut = await first.launch();
    await breathe();
    await first.engine.close();
    expect(held).toEqual(new Set());
    const { engine, launch } = await testEngine({ store, ids: laterIds(), replies: [{ text: 'done' }] });
    isFull = true;
    const begin = { launch: () => launch(), fork: () => engine.fork(done.id), resume: () => engine.resume(cut.id) };
    await expect(begin[how]()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await breathe();
    expect(held).toEqual(new Set());
    await engine.close();
  });

  it.each(['launch', 'fork', 'resume'] as const)(
    'when the engine closes while a %s takes it; closing waits for that',
    async (how) => {
      const way = gate();
      let isSlow = false;
      const { store, held } = counting((inner) => ({
        acquire: async (runId, owner) => {
          if (isSlow) await way.promise;
          return await inner.acquire(runId, owner);
        },
      }));
      const first = await testEngine({ store, replies: [{ text: 'done' }, { text: 'done', hang: true }] });
      const done = await first.launch();
      await done.result;
      const cut = await first.launch();
      await breathe();
      await first.engine.close();
      const { engine, launch, model } = await testEngine({ store, ids: laterIds(), replies: [{ text: 'done' }] });
      isSlow = true;
      const begin = { launch: () => launch(), fork: () => engine.fork(done.id), resume: () => engine.resume(cut.id) };
      const begun = begin[how]().catch((error: unknown) => error);
      await breathe();
      let isClosed = false;
      const closing = engine.close().then(() => {
        isClosed = true;
      });
      await breathe();
      expect(isClosed).toBe(false);
      way.open();
      await closing;
      expect(await begun).toMatchObject({ code: 'ENGINE_CLOSED' });
      expect(held).toEqual(new Set());
      expect(model.requests).toEqual([]);
    },
  );

  it('when what came in since the run was read cannot be read', async () => {
    let fails = false;
    const { store, held } = counting((inner) => ({
      read: (runId, options) => {
        if (fails && held.has(runId)) throw full;
        return inner.read(runId, options);
      },
    }));
    const first = await testEngine({ store, replies: [{ text: 'done', hang: true }] });
    const cut = await first.launch();
    await breathe();
    await first.engine.close();
    const { engine } = await testEngine({ store });
    fails = true;
    await expect(engine.resume(cut.id)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(held).toEqual(new Set());
    await engine.close();
  });
});
