import { createHook } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/index.ts';
import { createMemoryJournal, type ScriptedReply } from '../../src/testing/index.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, gate, type Gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const callOf = (...names: readonly string[]): ScriptedReply => ({ toolCalls: names.map((name) => ({ name, args: {} })) });

describe('K5: closing an engine drains it', () => {
  it('a tool that ends in time has its result on record; nothing new begins; resume goes on from there', async () => {
    const journal = createMemoryJournal();
    const held = heldTool('pay', { concurrency: 'serial' });
    const after = heldTool('after', { concurrency: 'serial' });
    const options = { profile: waitsForUser + allow('pay', 'after'), tools: [held.tool, after.tool], store: journal };
    const first = await testEngine({ ...options, replies: [callOf('pay', 'after')] });
    const run = await first.launch();
    await breathe();
    const closing = first.engine.close();
    await breathe();
    await expect(run.send('x')).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    held.gates.get('pay')?.open('paid');
    await closing;
    await expect(run.result).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    expect(first.clock.timers).toBe(0);
    expect((await journal.read(run.id)).map(({ type }) => type).slice(-2)).toEqual(['tool.end', 'inbox.add']);
    const second = await testEngine({ ...options, replies: [{ text: 'done' }] });
    const resumed = await second.engine.resume(run.id);
    await breathe();
    after.gates.get('after')?.open('and after');
    await resumed.settled();
    expect(resumed.turns()[0]?.toolInteractions.map(({ status, content }) => [status, content])).toEqual([
      ['ok', 'paid'],
      ['ok', 'and after'],
    ]);
    expect(held.log).toEqual(['begin pay', 'end pay']);
    await verifyRun(resumed, journal, { requests: [...first.model.requests, ...second.model.requests] });
  });

  it('a store that does not answer is waited for without keeping the process busy', async () => {
    const journal = createMemoryJournal();
    const answered = gate();
    const append = journal.append.bind(journal);
    const { engine, launch } = await testEngine({ profile: waitsForUser, store: journal, replies: [{ text: 'yes' }] });
    const run = await launch();
    await run.settled();
    journal.append = async (lease, commit) => {
      await answered.promise;
      return append(lease, commit);
    };
    void run.send('x').catch(() => undefined);
    await breathe();
    let rounds = 0;
    const hook = createHook({ init: (_id, type) => void (rounds += type === 'Immediate' ? 1 : 0) }).enable();
    const closing = engine.close();
    await breathe(200);
    hook.disable();
    expect(rounds, 'those of the test').toBeLessThan(300);
    answered.open();
    await closing;
    await verifyRun(run, journal);
  });

  it('a model call is aborted at once, and made again', async () => {
    const journal = createMemoryJournal();
    const first = await testEngine({
      profile: waitsForUser,
      store: journal,
      replies: [{ text: 'half a', hang: true, cutAfter: 3 }],
    });
    const run = await first.launch();
    await breathe();
    await first.engine.close();
    expect((await journal.read(run.id)).slice(-2)).toMatchObject([
      { type: 'turn.start' },
      { type: 'model.reserve', attempts: [{ error: { code: 'MODEL_ABORTED' }, usage: {} }] },
    ]);
    const second = await testEngine({ profile: waitsForUser, store: journal, replies: [{ text: 'whole' }] });
    const resumed = await second.engine.resume(run.id);
    await resumed.settled();
    expect(resumed.turns().map(({ reply }) => reply.text)).toEqual(['whole']);
    await verifyRun(resumed, journal, { requests: second.model.requests });
  });

  it('a tool that does not end in time is told to stop; an unsafe one has an unknown outcome', async () => {
    const journal = createMemoryJournal();
    const held = heldTool('slow');
    const first = await testEngine({ profile: allow('slow'), tools: [held.tool], store: journal, replies: [callOf('slow')] });
    const run = await first.launch();
    await breathe();
    const closing = first.engine.close({ graceMs: 1_000 });
    await first.clock.advance(999);
    await breathe();
    expect(first.clock.timers).toBeGreaterThan(0);
    await first.clock.advance(51);
    await closing;
    held.gates.get('slow')?.open('nobody hears it');
    await breathe();
    const second = await testEngine({ profile: allow('slow'), tools: [held.tool], store: journal, replies: [{ text: 'hm' }] });
    const resumed = await second.engine.resume(run.id);
    await resumed.result;
    expect(resumed.turns()[0]?.toolInteractions).toMatchObject([{ status: 'unknown' }]);
    await verifyRun(resumed, journal, { requests: [...first.model.requests, ...second.model.requests] });
  });

  it('what ends while it closes reaches the parent when the run is taken up again', async () => {
    const journal = createMemoryJournal();
    const last = heldTool('last', { ends_flow: true });
    const options = {
      profile: { Lead: waitsForUser + allow('delegate'), Worker: allow('last') },
      tools: [delegate, last.tool],
      store: journal,
    };
    const first = await testEngine({
      ...options,
      replies: [{ toolCalls: [{ name: 'delegate', args: { to: 'Worker' } }] }, callOf('last')],
    });
    const run = await first.launch();
    await breathe();
    const closing = first.engine.close();
    await breathe();
    last.gates.get('last')?.open('the end of it');
    await closing;
    const second = await testEngine({ ...options, replies: [{ text: 'noted' }] });
    const resumed = await second.engine.resume(run.id);
    await resumed.settled();
    expect(resumed.turns({ agentId: 'Lead_1' })[0]?.toolInteractions[0]?.content).toBe('Worker_2 ended: success');
    expect(resumed.turns({ agentId: 'Lead_1' })).toHaveLength(2);
    await verifyRun(resumed, journal, { requests: [...first.model.requests, ...second.model.requests] });
  });

  it('without grace everything is told to stop at once; closing twice is closing once', async () => {
    const held = heldTool('slow');
    const team = await testEngine({ profile: allow('slow'), tools: [held.tool], replies: [callOf('slow')] });
    const run = await team.launch();
    await breathe();
    const closing = team.engine.close({ graceMs: 0 });
    await breathe();
    await team.clock.advance(50);
    await closing;
    await team.engine.close();
    await expect(run.result).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });
});

describe('closing, and what comes at the same time', () => {
  /** A journal whose leases come when the test wants. */
  function slowLeases(): { readonly journal: Journal; readonly slow: Journal; readonly lease: Gate } {
    const journal = createMemoryJournal();
    const lease = gate();
    const slow: Journal = {
      location: journal.location,
      acquire: async (runId, owner) => {
        await lease.promise;
        return await journal.acquire(runId, owner);
      },
      release: (held) => journal.release(held),
      append: (held, commit) => journal.append(held, commit),
      read: (runId, options) => journal.read(runId, options),
      content: (hash) => journal.content(hash),
      runs: () => journal.runs(),
      close: () => journal.close(),
    };
    return { journal, slow, lease };
  }

  it('whoever closes what is being closed waits for the same end', async () => {
    const held = heldTool('pay');
    const team = await testEngine({ profile: allow('pay'), tools: [held.tool], replies: [callOf('pay')] });
    await team.launch();
    await breathe();
    const ends: string[] = [];
    const first = team.engine.close().then(() => ends.push('first'));
    const second = team.engine.close().then(() => ends.push('second'));
    await breathe();
    expect(ends).toEqual([]);
    held.gates.get('pay')?.open('paid');
    await Promise.all([first, second]);
    expect(ends).toEqual(['first', 'second']);
  });

  it('a launch that is still waiting for its lease starts nothing', async () => {
    const { journal, slow, lease } = slowLeases();
    const team = await testEngine({ store: slow, replies: [{ text: 'x' }] });
    const launched = team.launch();
    const closing = team.engine.close();
    lease.open();
    await expect(launched).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await closing;
    expect(team.model.requests).toEqual([]);
    expect(await journal.runs()).toEqual([]);
  });

  it('a resume that is still waiting for its lease takes nothing up; another engine may', async () => {
    const { journal, slow, lease } = slowLeases();
    const options = { profile: waitsForUser, replies: [{ text: 'x' }] };
    const first = await testEngine({ ...options, store: journal });
    const run = await first.launch();
    await run.settled();
    await first.engine.close();
    const second = await testEngine({ ...options, store: slow });
    const resumed = second.engine.resume(run.id);
    const refused = expect(resumed).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await breathe();
    const closing = second.engine.close();
    lease.open();
    await refused;
    await closing;
    const third = await testEngine({ ...options, store: journal });
    expect((await third.engine.resume(run.id)).state.status).toBe('awaiting');
  });

  it('a store that cannot even give a lease back brings no process down, and keeps nothing from being closed', async () => {
    const journal = createMemoryJournal();
    const released = gate();
    const store: Journal = {
      location: journal.location,
      acquire: (runId, owner) => journal.acquire(runId, owner),
      release: () => {
        released.open();
        throw new Error('disk I/O error');
      },
      append: (held, commit) => journal.append(held, commit),
      read: (runId, options) => journal.read(runId, options),
      content: (hash) => journal.content(hash),
      runs: () => journal.runs(),
      close: () => journal.close(),
    };
    const pay = heldTool('pay');
    const replies = [{ text: 'x' }, callOf('pay')];
    const team = await testEngine({ store, profile: allow('pay'), tools: [pay.tool], replies });
    expect(await (await team.launch()).result).toMatchObject({ output: 'x' });
    await released.promise;
    const working = await team.launch();
    await breathe();
    const closing = team.engine.close();
    await breathe();
    pay.gates.get('pay')?.open('paid');
    await closing;
    expect((await journal.read(working.id)).map(({ type }) => type)).toContain('tool.end');
  });

  it('a signal that outlives its runs keeps none of them', async () => {
    const team = await testEngine({ replies: () => ({ text: 'x' }) });
    const { signal } = new AbortController();
    for (let n = 0; n < 3; n++) await (await team.launch('Go.', { signal })).result;
    await breathe();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
