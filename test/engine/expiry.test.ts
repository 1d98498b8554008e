import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Journal, loadProfiles } from '../../src/index.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { startForTest, temporaryFolder } from '../cli/cli-process.ts';
import { breathe, testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const program = path.join(import.meta.dirname, 'expiry-child.ts');
const minute = 60_000;
const gated = (rest: string): string => `${allow('pay')}tool_gates: [{ id: money, tools: [pay], verdict: ask${rest} }]`;
/** All of a journal but writing. */
function readerOf(journal: Journal): Omit<Journal, 'append'> {
  return {
    location: journal.location,
    acquire: (runId, owner) => journal.acquire(runId, owner),
    release: (lease) => journal.release(lease),
    read: (runId, options) => journal.read(runId, options),
    content: (hash) => journal.content(hash),
    runs: (filter) => journal.runs(filter),
    close: () => journal.close(),
  };
}

const replies = [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'done' }];

describe('calls that wait for a person (E13)', () => {
  it('wait for ever unless their gate says otherwise', async () => {
    const team = await testEngine({ profile: gated(''), tools: [tool('pay', () => 'paid')], replies });
    const run = await team.launch();
    await run.settled();
    expect(team.clock.nextIn ?? team.clock.nextBackgroundIn).toBeUndefined();
    await team.clock.advance(1_000 * 24 * 60 * minute);
    expect(run.pending).toMatchObject([{ kind: 'approval', tool: 'pay' }]);
    expect(run.pending[0]?.expiresAt).toBeUndefined();
  });

  it('are denied when nobody decided in time, on record, and the late verdict is refused', async () => {
    let paid = 0;
    const team = await testEngine({ profile: gated(', expires_after: 30m'), tools: [tool('pay', () => ++paid)], replies });
    const run = await team.launch();
    await run.settled();
    const [pending] = run.pending;
    expect(pending?.expiresAt).toBe(team.clock.now() + 30 * minute);
    await team.clock.advance(30 * minute);
    expect((await run.result).outcome).toBe('success');
    expect(paid).toBe(0);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'denied', error: { code: 'TOOL_EXPIRED' } }]);
    await expect(run.approve(pending?.id ?? '')).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('run when their gate allows them then', async () => {
    let paid = 0;
    const team = await testEngine({
      profile: gated(', expires_after: 30m, on_expire: allow'),
      tools: [tool('pay', () => ++paid)],
      replies,
    });
    const run = await team.launch();
    await run.settled();
    await team.clock.advance(30 * minute);
    expect((await run.result).outcome).toBe('success');
    expect(paid).toBe(1);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('expire in another process too, and count the time in which there was none', async () => {
    const store = createMemoryJournal();
    const clock = manualClock();
    const parts = { profile: gated(', expires_after: 30m'), store, clock, tools: [tool('pay', () => 'paid')] };
    const first = await testEngine({ ...parts, replies });
    const run = await first.launch();
    await run.settled();
    await first.engine.close();
    await clock.advance(60 * minute);
    const second = await testEngine({ ...parts, replies: [{ text: 'went on' }] });
    const again = await second.engine.resume(run.id);
    await breathe();
    await clock.advance(1);
    expect(await again.result).toMatchObject({ output: 'went on' });
    await verifyRun(again, store);
  });

  it.each([
    ['', 0],
    [', on_expire: allow', 1],
  ])('a verdict that comes with the resume comes too late when nobody decided in time%s', async (rest, runs) => {
    const store = createMemoryJournal();
    const clock = manualClock();
    let paid = 0;
    const parts = { profile: gated(`, expires_after: 30m${rest}`), store, clock, tools: [tool('pay', () => `paid ${++paid}`)] };
    const first = await testEngine({ ...parts, replies });
    const run = await first.launch();
    await run.settled();
    const [asked] = run.pending;
    await first.engine.close();
    await clock.advance(60 * minute);
    const second = await testEngine({ ...parts, replies: [{ text: 'went on' }] });
    const again = await second.engine.resume(run.id);
    expect(again.pending).toEqual([]);
    await expect(again.approve(asked?.id ?? '')).rejects.toMatchObject({
      code: 'PENDING_UNKNOWN',
      message: expect.stringMatching(
        runs === 0 ? /expired: .* within 1800 s; it was denied at 2026-/ : /expired: .* within 1800 s; it was allowed at 2026-/,
      ) as string,
    });
    expect(await again.result).toMatchObject({ output: 'went on' });
    expect(paid).toBe(runs);
    await verifyRun(again, store);
  });

  it.each(['memory', 'sqlite'] as const)(
    'a verdict after the time is refused though no timer has gone off yet (%s)',
    async (kind) => {
      const store =
        kind === 'memory' ? createMemoryJournal() : createSqliteJournal(path.join(await temporaryFolder(), 'journal.db'));
      const clock = manualClock();
      const stuck = { ...clock, setTimer: () => () => undefined };
      let paid = 0;
      const profile = gated(', expires_after: 30m');
      const team = await testEngine({ profile, store, clock: stuck, tools: [tool('pay', () => ++paid)], replies });
      const run = await team.launch();
      await run.settled();
      const id = run.pending[0]?.id ?? '';
      await clock.advance(30 * minute);
      const late = { code: 'PENDING_UNKNOWN', message: expect.stringMatching(/expired: .*; it was denied/) as string };
      await expect(run.approve(id)).rejects.toMatchObject(late);
      await expect(run.reject(id)).rejects.toMatchObject(late);
      expect((await run.result).outcome).toBe('success');
      expect(paid).toBe(0);
      await verifyRun(run, store, { requests: team.model.requests });
    },
  );

  it('a wall clock that is set forward makes no verdict late', async () => {
    let paid = 0;
    const team = await testEngine({ profile: gated(', expires_after: 30m'), tools: [tool('pay', () => ++paid)], replies });
    const run = await team.launch();
    await run.settled();
    team.clock.setWall(team.clock.now() + 60 * minute);
    await run.approve(run.pending[0]?.id ?? '');
    expect((await run.result).outcome).toBe('success');
    expect(paid).toBe(1);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a wall clock that is set forward while a commit is being written lets nothing expire before its time', async () => {
    let paid = 0;
    const clock = manualClock();
    const memory = createMemoryJournal();
    const written: (() => void)[] = [];
    // The commit that asks the person takes a while, like in a store that is far away.
    const store: Journal = {
      ...readerOf(memory),
      append: (lease, commit) => {
        void memory.append(lease, commit);
        if (!commit.events.some(({ type }) => type === 'tool.suspend')) return undefined;
        return new Promise((resolve) => written.push(resolve));
      },
    };
    const profile = gated(', expires_after: 30m, on_expire: allow');
    const team = await testEngine({ profile, store, clock, tools: [tool('pay', () => ++paid)], replies });
    const run = await team.launch();
    await breathe();
    clock.setWall(clock.now() + 29 * minute);
    for (const resolve of written) resolve();
    await run.settled();
    await clock.advance(2 * minute);
    expect({ paid, waiting: run.pending.length }).toEqual({ paid: 0, waiting: 1 });
    await clock.advance(28 * minute);
    expect((await run.result).outcome).toBe('success');
    expect(paid).toBe(1);
    await verifyRun(run, memory);
  });

  it.each([
    ['expiry', 'success: TOOL_EXPIRED'],
    ['decided', 'awaiting with 0 pending'],
  ])('a process lives as long as something expires, and no longer (%s)', async (what, words) => {
    const { code, out, err } = await startForTest([what], { cwd: await temporaryFolder() }, program).finished;
    expect({ code, out }, err).toEqual({ code: 0, out: `${words}\n` });
  });

  it('a question that expires is answered as denied', async () => {
    const ask = defineTransitionTool({
      name: 'ask',
      description: 'Asks.',
      run: () => ({
        kind: 'suspend',
        on: { kind: 'question', prompt: 'Well?', expires: { afterMs: minute, verdict: 'deny' } },
        memo: null,
      }),
    });
    const team = await testEngine({
      profile: allow('ask'),
      tools: [ask],
      replies: [{ toolCalls: [{ name: 'ask', args: {} }] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    await team.clock.advance(minute);
    expect((await run.result).outcome).toBe('success');
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'denied', error: { code: 'TOOL_EXPIRED' } }]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('on_expire without expires_after is a mistake', async () => {
    const text = 'name: A\ntype: associate\ninstructions: x\ntool_gates: [{ id: g, verdict: ask, on_expire: allow }]\n';
    await expect(loadProfiles({ files: [{ path: 'profiles/a.yaml', text }] })).rejects.toThrow(
      /a.yaml:4:.*on_expire.*expires_after/,
    );
  });
});
