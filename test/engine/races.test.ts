import { describe, expect, it } from 'vitest';
import { defineIngestor, type Journal } from '../../src/index.ts';
import type { Lease } from '../../src/core/events/journal.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { breathe, gate, type Gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

/** A journal over a network: each append waits for its gate before it is applied. */
function remoteJournal(): { readonly journal: Journal; readonly inner: Journal; readonly appends: Gate[]; isOpen: boolean } {
  const inner = createMemoryJournal();
  const appends: Gate[] = [];
  const remote = {
    inner,
    appends,
    isOpen: true,
    journal: {
      location: 'remote',
      acquire: (runId, owner) => inner.acquire(runId, owner),
      release: (lease) => inner.release(lease),
      append: async (lease, commit) => {
        const own = gate();
        appends.push(own);
        if (!remote.isOpen) await own.promise;
        await inner.append(lease, commit);
      },
      read: async (runId, options) => await inner.read(runId, options),
      content: (hash) => inner.content(hash),
      runs: () => inner.runs(),
      close: () => undefined,
    } satisfies Journal,
  };
  return remote;
}

describe('a store that takes its time', () => {
  it('a second cancel waits until the first is in the journal, and fails with it', async () => {
    const remote = remoteJournal();
    const { launch } = await testEngine({ store: remote.journal, replies: [{ hang: true }] });
    const run = await launch();
    remote.isOpen = false;
    const both = Promise.allSettled([run.cancel('first'), breathe().then(() => run.cancel('second'))]);
    await breathe(6);
    remote.appends.at(-1)?.fail(new Error('the store is gone'));
    expect(await both).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect((await remote.inner.read(run.id)).some(({ type }) => type === 'run.end')).toBe(false);
  });

  it('a cancel of a run whose end could not be written is refused, as long as it is not known what the journal holds', async () => {
    const remote = remoteJournal();
    const reading = gate();
    let isSlow = false;
    const store: Journal = {
      ...remote.journal,
      read: async (runId, options) => {
        if (isSlow) await reading.promise;
        return await remote.journal.read(runId, options);
      },
    };
    const reply = gate();
    const { launch } = await testEngine({
      store,
      replies: async () => {
        await reply.promise;
        return { text: 'Done.' };
      },
    });
    const run = await launch();
    remote.isOpen = false;
    isSlow = true;
    reply.open();
    await breathe();
    expect(run.state.outcome).toBeDefined();
    remote.appends.at(-1)?.fail(new Error('the store is gone'));
    await breathe();
    await expect(run.cancel('now')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(run.settled()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    reading.open();
    await breathe();
    expect(run.state.outcome).toBeUndefined();
    expect((await remote.inner.read(run.id)).some(({ type }) => type === 'run.end')).toBe(false);
  });

  it('a cancel by a signal that is aborted while the start is written is committed after it', async () => {
    const remote = remoteJournal();
    remote.isOpen = false;
    const { launch } = await testEngine({ store: remote.journal, replies: [{ hang: true }] });
    const order: number[] = [];
    const stop = new AbortController();
    const launching = launch('Go.', {
      signal: stop.signal,
      subscriber: { onEvents: (events) => void order.push(...events.map(({ seq }) => seq)), onDelta: () => undefined },
    });
    await breathe(2);
    stop.abort();
    await breathe(2);
    expect(remote.appends).toHaveLength(1);
    remote.isOpen = true;
    remote.appends[0]?.open();
    const run = await launching;
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    expect(order).toEqual(order.map((_, index) => index + 1));
    await verifyRun(run, remote.inner);
  });

  it('a tool whose start was written does not run when another process has taken the run over before the store said so', async () => {
    const { inner, journal } = remoteJournal();
    const said = gate();
    let held: Lease | undefined;
    const ran: string[] = [];
    const { launch } = await testEngine({
      store: {
        ...journal,
        holds: (lease) => inner.holds?.(lease) ?? true,
        append: async (lease, commit) => {
          await inner.append(lease, commit);
          held = lease;
          if (commit.events.some(({ type }) => type === 'tool.start')) await said.promise;
        },
      },
      profile: waitsForUser + allow('book'),
      tools: [tool('book', () => void ran.push('booked'), { effect: 'unsafe' })],
      replies: [{ toolCalls: [{ name: 'book', args: {} }] }],
    });
    const run = await launch();
    await breathe();
    expect((await inner.read(run.id)).map(({ type }) => type)).toContain('tool.start');
    if (held !== undefined) await inner.release(held);
    await inner.acquire(run.id, '7@elsewhere#next');
    said.open();
    await expect(run.result).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
      message: expect.stringContaining('another process took the run over') as string,
    });
    expect(ran).toEqual([]);
  });

  it('a turn that is due and cancelled in one commit calls no model', async () => {
    const remote = remoteJournal();
    const reply = gate();
    const { launch, model } = await testEngine({
      store: remote.journal,
      profile: 'flow_decider: [{ id: again, action: { type: loop_with_inbox_item, payload: { content: again } } }]',
      replies: async () => {
        await reply.promise;
        return { text: 'words' };
      },
    });
    const run = await launch();
    await breathe();
    remote.isOpen = false;
    const sent = run.send('one more thing');
    await breathe();
    // The reply, which makes a second turn due, and the cancel wait behind this append, and are decided together.
    reply.open();
    await breathe();
    const cancelled = run.cancel('enough');
    await breathe();
    remote.isOpen = true;
    remote.appends.at(-1)?.open();
    await Promise.all([sent, cancelled]);
    const events = await verifyRun(run, remote.inner);
    expect(events.filter(({ type }) => type === 'turn.start')).toHaveLength(2);
    expect(model.requests).toHaveLength(1);
  });

  it('one that is gone altogether halts the run, and nothing is left to fail unheard', async () => {
    const remote = remoteJournal();
    const { launch } = await testEngine({
      store: { ...remote.journal, read: () => Promise.reject(new Error('gone')) },
      replies: [{ hang: true }],
    });
    const run = await launch();
    remote.isOpen = false;
    const sent = run.send('hello');
    await breathe();
    remote.appends.at(-1)?.fail(new Error('gone'));
    await expect(sent).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await breathe();
  });
});

it('an item that cannot be read and expires wakes nobody: a turn with nothing to read would ask the model to answer itself', async () => {
  const bad = defineIngestor({
    name: 'bad',
    ingest: () => {
      throw new Error('never');
    },
  });
  const { launch, model, journal } = await testEngine({
    profile: `${waitsForUser}inbox_handling_strategies: [{ source: BAD, ingestor: bad }]`,
    ingestors: [bad],
    replies: () => ({ text: 'words' }),
  });
  const run = await launch();
  await run.settled();
  await run.send({ source: 'BAD', payload: 'x', consumption: 'persistent_until_consumed', maxTurns: 2 });
  await run.settled();
  expect(model.requests).toHaveLength(3);
  await verifyRun(run, journal, { requests: model.requests });
});
