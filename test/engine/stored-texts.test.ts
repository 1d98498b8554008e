import { describe, expect, it } from 'vitest';
import type { ContentHash } from '../../src/core/ids.ts';
import type { Journal } from '../../src/index.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { breathe, testEngine } from '../support/test-engine.ts';

/** A journal that answers with texts as a test says. */
function answering(content: (inner: Journal, hash: ContentHash) => unknown): Journal {
  const inner = createMemoryJournal();
  return {
    location: 'far away',
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => inner.append(lease, commit),
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => content(inner, hash) as string | undefined,
    runs: () => inner.runs(),
    close: () => undefined,
  };
}

describe('a prompt is sent as it was recorded, or not at all', () => {
  it.each([
    ['resolves', (inner: Journal, hash: ContentHash) => Promise.resolve(inner.content(hash))],
    ['rejects', () => Promise.reject(new Error('far away is down'))],
  ])('a store that answers with a promise that %s', async (_how, content) => {
    const { launch, model } = await testEngine({ store: answering(content), replies: [{ text: 'done' }] });
    const run = await launch();
    expect(await run.result).toMatchObject({
      status: 'failed',
      error: {
        code: 'STORE_FAILED',
        message: expect.stringContaining("far away: the store's content() must return a text or undefined"),
      },
    });
    expect(model.requests).toEqual([]);
  });

  it('such a store is found out before a run of it is taken up, and nothing is written', async () => {
    let isFar = false;
    const store = answering((inner, hash) => (isFar ? Promise.resolve(inner.content(hash)) : inner.content(hash)));
    const first = await testEngine({ store, replies: [{ text: 'half', hang: true }] });
    const run = await first.launch();
    await breathe();
    await first.engine.close();
    const before = await store.read(run.id);
    isFar = true;
    const { engine } = await testEngine({ store, replies: [{ text: 'done' }] });
    await expect(engine.resume(run.id)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await store.read(run.id)).toEqual(before);
    await engine.close();
  });

  it('a text that is lost while a run is live', async () => {
    const { launch, model } = await testEngine({ store: answering(() => undefined), replies: [{ text: 'done' }] });
    const run = await launch();
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'STORE_CORRUPT' } });
    expect(model.requests).toEqual([]);
  });

  it('a part of the system prompt that is lost, with the log that names it there', async () => {
    const store = answering((inner, hash) => {
      const text = inner.content(hash);
      return text === 'You work.' ? undefined : text;
    });
    const { launch, model } = await testEngine({ store, replies: [{ text: 'done' }] });
    const run = await launch();
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'STORE_CORRUPT' } });
    expect(model.requests).toEqual([]);
  });
});
