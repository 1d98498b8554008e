import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { Ids } from '../../src/core/ids.ts';
import type { Commit, Journal } from '../../src/index.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { countingIds, createMemoryJournal } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser, type TestEngine, type TestEngineOptions } from '../support/test-engine.ts';
import { allow, heldTool, tool, type HeldTool } from '../support/tools.ts';
import { plainState, verifyRun } from '../support/verify-run.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-recovery-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Item ids of a second process: its own, as random ones would be. */
function otherIds(): Ids {
  const ids = countingIds();
  return {
    runId: () => `other_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `other_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
}

async function open(options: TestEngineOptions, ids?: Ids): Promise<TestEngine> {
  return await testEngine({
    ...options,
    ...(ids === undefined ? {} : { ids }),
    store: createSqliteJournal(path.join(folder, 'journal.db')),
  });
}

/** Closes an engine whose tools take no notice. */
async function closed(team: TestEngine): Promise<void> {
  const closing = team.engine.close();
  await team.clock.advance(200);
  await closing;
}

/** Runs a first engine to a standstill, closes it, and resumes its run in a second one. */
async function interrupted(
  options: TestEngineOptions,
  second: TestEngineOptions['replies'],
  before?: (team: TestEngine) => Promise<void>,
): Promise<{
  readonly first: TestEngine;
  readonly next: TestEngine;
  readonly prefix: readonly CadreEvent[];
  readonly runId: string;
}> {
  const first = await open(options);
  const run = await first.launch();
  await breathe();
  await before?.(first);
  const prefix = await first.journal.read(run.id);
  await closed(first);
  await expect(run.result).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  await expect(run.send('x')).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  const next = await open({ ...options, replies: second ?? [] }, otherIds());
  return { first, next, prefix, runId: run.id };
}

describe('[A1.13.resume] [A5.persistence] I4: a run goes on where its journal stands', () => {
  it('a model call that was in flight is made again with the same messages', async () => {
    const { first, next, prefix, runId } = await interrupted({ profile: waitsForUser, replies: [{ hang: true }] }, [
      { text: 'answered after all' },
    ]);
    const run = await next.engine.resume(runId);
    await run.settled();
    expect(next.model.requests[0]?.prompt).toEqual(first.model.requests[0]?.prompt);
    expect(next.model.requests[0]?.tools).toEqual(first.model.requests[0]?.tools);
    const events = await verifyRun(run, next.journal, { requests: [...first.model.requests, ...next.model.requests] });
    expect(events.slice(0, prefix.length)).toEqual(prefix);
    expect(run.turns()).toMatchObject([{ turnId: 'Root_1.t1', status: 'completed', reply: { text: 'answered after all' } }]);
    await next.engine.close();
  });

  it.each([
    ['pure', 2, 'ok'],
    ['idempotent', 2, 'ok'],
    ['unsafe', 1, 'unknown'],
  ])('I5: a %s tool that was running has run %i times in the end, and ends %s', async (effect, runs, status) => {
    const tools: HeldTool[] = [];
    const options = (): TestEngineOptions => {
      const held = heldTool('t', { effect });
      tools.push(held);
      return {
        profile: waitsForUser + allow('t'),
        tools: [held.tool],
        replies: [{ toolCalls: [{ name: 't', args: { id: 'x' } }] }],
      };
    };
    const first = await open(options());
    const before = await first.launch();
    await breathe();
    await closed(first);
    const next = await open({ ...options(), replies: [{ text: 'I see' }] }, otherIds());
    const run = await next.engine.resume(before.id);
    await breathe();
    tools[1]?.gates.get('x')?.open('result');
    await run.settled();
    expect(tools.flatMap(({ log }) => log).filter((line) => line === 'begin x')).toHaveLength(runs);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status }]);
    if (status === 'unknown') expect(run.turns()[0]?.toolInteractions[0]?.error?.code).toBe('TOOL_OUTCOME_UNKNOWN');
    await verifyRun(run, next.journal, {
      requests: [...first.model.requests, ...next.model.requests],
      repeatable: new Set(effect === 'unsafe' ? [] : ['t']),
    });
    await next.engine.close();
  });

  it('[A4.4.job-store] [B.84] an approval that was pending is pending still, in another engine over the same file, and runs once with the same arguments', async () => {
    const ran: unknown[] = [];
    const options: TestEngineOptions = {
      profile: `${waitsForUser}${allow('pay')}\ntool_gates: [{ id: ask_first, tools: [pay], verdict: ask, message: Really? }]`,
      tools: [
        tool('pay', (args) => {
          ran.push(args);
          return 'paid';
        }),
      ],
      replies: [{ toolCalls: [{ name: 'pay', args: { amount: 5 } }] }],
    };
    const { first, next, runId } = await interrupted(options, [{ text: 'done' }]);
    const run = await next.engine.resume(runId);
    await run.settled();
    expect(run.pending).toMatchObject([{ kind: 'approval', tool: 'pay', args: { amount: 5 }, message: 'Really?' }]);
    expect(ran).toEqual([]);
    await run.approve(run.pending[0]?.id ?? '');
    await run.settled();
    expect(ran).toEqual([{ amount: 5 }]);
    await verifyRun(run, next.journal, { requests: [...first.model.requests, ...next.model.requests] });
    await next.engine.close();
  });

  it('a run that waits for its user is as it was, and takes a message', async () => {
    const { first, next, runId } = await interrupted({ profile: waitsForUser, replies: [{ text: 'hello' }] }, [
      { text: 'hello again' },
    ]);
    const run = await next.engine.resume(runId);
    expect((await run.settled()).status).toBe('awaiting');
    await run.send('back again');
    await run.settled();
    expect(run.turns().map((turn) => turn.reply.text)).toEqual(['hello', 'hello again']);
    await verifyRun(run, next.journal, { requests: [...first.model.requests, ...next.model.requests] });
    await next.engine.close();
  });

  it('an ended run is read, not resumed', async () => {
    const first = await open({ replies: [{ text: 'the end' }] });
    const run = await first.launch();
    await run.result;
    const again = await first.engine.resume(run.id);
    expect(await again.result).toMatchObject({ status: 'completed', output: 'the end' });
    await expect(again.send('more')).rejects.toMatchObject({ code: 'RUN_ENDED' });
    expect(plainState(again.state)).toEqual(plainState(run.state));
    await first.engine.close();
  });

  it('[A1.13.persistence] [B.82] I4: every prefix of a journal that ends with a commit can be resumed, and comes to the same end', async () => {
    const options: TestEngineOptions = {
      profile: allow('t'),
      tools: [tool('t', ({ n }) => `result ${String(n)}`, { effect: 'pure' })],
    };
    const replies = (request: { readonly prompt: readonly { readonly role: string }[] }) => {
      const done = request.prompt.filter(({ role }) => role === 'tool').length;
      return done < 3
        ? {
            toolCalls: [
              { name: 't', args: { n: done } },
              { name: 't', args: { n: -done } },
            ],
          }
        : { text: 'done' };
    };
    const commits: Commit[] = [];
    const whole = await testEngine({ ...options, replies, store: recording(commits) });
    const done = await whole.launch();
    expect(await done.result).toMatchObject({ output: 'done' });
    for (let count = 1; count < commits.length; count++) {
      const store = replayed(commits.slice(0, count));
      const team = await testEngine({ ...options, replies, store, ids: otherIds() });
      const run = await team.engine.resume(done.id);
      expect(await run.result, `after ${count} commits`).toMatchObject({ status: 'completed', output: 'done' });
      const events = await verifyRun(run, store, {
        requests: [...whole.model.requests, ...team.model.requests],
        repeatable: new Set(['t']),
      });
      const before = commits.slice(0, count).flatMap((commit) => commit.events);
      expect(events.slice(0, before.length)).toEqual(before);
    }
  });
});

describe('I8: one run, one process', () => {
  it('a second engine that opens a live run gets RUN_LOCKED; once the first has closed, it may', async () => {
    const options: TestEngineOptions = { profile: waitsForUser, replies: [{ text: 'hello' }] };
    const first = await open(options);
    const run = await first.launch();
    await run.settled();
    const second = await open({ ...options, replies: [{ text: 'mine now' }] }, otherIds());
    await expect(second.engine.resume(run.id)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect((await second.engine.open(run.id)).state.status).toBe('awaiting');
    await first.engine.close();
    const taken = await second.engine.resume(run.id);
    await taken.send('hi');
    await taken.settled();
    await verifyRun(taken, second.journal, { requests: [...first.model.requests, ...second.model.requests] });
    await second.engine.close();
  });

  it('unknown runs and closed engines say so', async () => {
    const team = await open({});
    await expect(team.engine.resume('run_nope')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await team.engine.close();
    await expect(team.launch()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await team.engine.close();
  });
});

/** A memory journal that remembers its commits. */
function recording(commits: Commit[]): Journal {
  const inner = memoryJournal();
  return {
    ...inner,
    append: (lease, commit) => {
      commits.push(structuredClone(commit));
      return inner.append(lease, commit);
    },
  };
}

/** A memory journal that holds these commits already. */
function replayed(commits: readonly Commit[]): Journal {
  const inner = memoryJournal();
  const [first] = commits;
  if (first === undefined) return inner;
  const lease = inner.acquire(first.runId, `${process.pid}@here#before`);
  if (lease instanceof Promise) throw new Error('a memory journal answers at once');
  for (const commit of commits) void inner.append(lease, structuredClone(commit));
  void inner.release(lease);
  return inner;
}

function memoryJournal(): Journal {
  const inner = createMemoryJournal();
  return {
    location: inner.location,
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => inner.append(lease, commit),
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => inner.content(hash),
    runs: () => inner.runs(),
    close: () => inner.close(),
  };
}
