import { describe, expect, it } from 'vitest';
import type { CadreEvent, EventOf } from '../../src/core/events/event.ts';
import type { Ids } from '../../src/core/ids.ts';
import { toolChanges } from '../../src/engine/toolsets/tool-list.ts';
import type { Journal } from '../../src/index.ts';
import { countingIds, createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser, type TestEngineOptions } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

function laterIds(): Ids {
  const ids = countingIds();
  return {
    runId: () => `later_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `later_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
}

/** A run whose process ended in the middle of its first model call, and an engine with other profiles or tools over its journal. */
async function edited(before: TestEngineOptions, after: TestEngineOptions) {
  const store = createMemoryJournal();
  const first = await testEngine({ replies: [{ hang: true }], ...before, store });
  const { id } = await first.launch();
  await breathe();
  await first.engine.close();
  const next = await testEngine({ replies: [{ text: 'one' }, { text: 'two' }], ...after, store, ids: laterIds() });
  return { id, store, next };
}

async function notes(store: Journal, id: string): Promise<readonly EventOf<'note.add'>[]> {
  return (await store.read(id as CadreEvent['runId'])).filter((event): event is EventOf<'note.add'> => event.type === 'note.add');
}

const brief = `${waitsForUser}instructions: Be brief.`;
const kind = `${waitsForUser}instructions: Be kind.\nlimits: { max_turns: 7 }`;

describe('profiles that were edited since', () => {
  it('a run goes on with those it was started with, and says nothing', async () => {
    const { id, store, next } = await edited({ profile: brief }, { profile: kind });
    const run = await next.engine.resume(id);
    await run.settled();
    await run.send('more');
    await run.settled();
    expect(run.turns().map(({ prompt }) => prompt.text.includes('Be brief.'))).toEqual([true, true]);
    expect(await notes(store, id)).toEqual([]);
    await verifyRun(run, store, {});
    await next.engine.close();
  });

  it("with profiles: 'current', turns from then on use today's; what differs is on record, and stays so for the next process", async () => {
    const { id, store, next } = await edited({ profile: brief }, { profile: kind });
    const run = await next.engine.resume(id, { profiles: 'current' });
    await run.settled();
    await run.send('more');
    await run.settled();
    expect(run.turns().map(({ prompt }) => /Be \w+/.exec(prompt.text)?.[0])).toEqual(['Be brief', 'Be kind']);
    const resumed = (await store.read(run.id)).find((event) => event.type === 'run.resume');
    expect(resumed).toMatchObject({ profiles: run.state.meta.profiles });
    expect((await notes(store, id)).map(({ code, message }) => [code, message])).toEqual([
      ['PROFILES_CHANGED', expect.stringMatching(/^the run goes on with today's profiles: profile `Root` changed \(.*limits.*\)$/)],
    ]);
    await verifyRun(run, store, {});
    await next.engine.close();
    const third = await testEngine({ profile: brief, replies: [{ text: 'three' }], store, ids: laterIds() });
    const again = await third.engine.resume(id);
    await again.send('and more').catch((error: unknown) => expect(error).toBeUndefined());
    await again.settled();
    expect(again.turns().at(-1)?.prompt.text).toContain('Be kind.');
    await third.engine.close();
  });

  it('names what came, went and changed', async () => {
    const { id, store, next } = await edited(
      { profile: { Root: brief, Helper: 'instructions: x' } },
      { profile: { Root: brief, Other: 'instructions: y' } },
    );
    await next.engine.resume(id, { profiles: 'current' });
    expect((await notes(store, id))[0]?.message).toMatch(/profile `Helper` is gone; profile `Other` is new$/);
    await next.engine.close();
  });

  it.each([
    ['PROFILE_UNKNOWN', { Other: brief }, /Root_1 is at work, and there is no profile 'Root' any more/],
    ['PROFILE_DISABLED', { Root: `${brief}\nis_active: false` }, /Root_1 is at work, and its profile 'Root' is disabled/],
  ])('a live agent whose profile is gone or disabled: %s, before anything is written', async (code, profile, message) => {
    const { id, store, next } = await edited({ profile: brief }, { profile });
    const before = await store.read(id as CadreEvent['runId']);
    await expect(next.engine.resume(id, { profiles: 'current' })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await store.read(id as CadreEvent['runId'])).toEqual(before);
    await (await next.engine.resume(id)).settled();
    await next.engine.close();
  });

  it('profiles that name what this program has no more are an error that says so', async () => {
    const observer = { name: 'watch', observe: () => [] };
    const watched = `${waitsForUser}post_turn_observers: [{ id: w, action: { type: call, observer: watch } }]`;
    const { id, next } = await edited({ profile: watched, observers: [observer] }, { profile: waitsForUser });
    await expect(next.engine.resume(id)).rejects.toMatchObject({
      code: 'PROFILE_INVALID',
      message: expect.stringMatching(/do not fit this program.*watch/s),
    });
    await (await next.engine.resume(id, { profiles: 'current' })).settled();
    await next.engine.close();
  });

  it('a model that cannot be called any more is an error before anything is written', async () => {
    const { id, store, next } = await edited(
      { profile: `${waitsForUser}llm_config_ref: n`, models: { n: scriptedModel([{ hang: true }]) } },
      { profile: waitsForUser },
    );
    const before = await store.read(id as CadreEvent['runId']);
    await expect(next.engine.resume(id)).rejects.toMatchObject({ code: expect.stringMatching(/MODEL_UNKNOWN|PROFILE_INVALID/) });
    expect(await store.read(id as CadreEvent['runId'])).toEqual(before);
    await next.engine.close();
  });
});

describe('K11: tools that were edited since', () => {
  it('a call that waits for approval goes on waiting while its tool is not there, and runs once it is', async () => {
    let ran = 0;
    const asks = `${waitsForUser}${allow('t', 'other')}tool_gates: [{ id: g, tools: [t], verdict: ask }]`;
    const tools = [tool('t', () => ++ran), tool('other', () => 1)];
    const replies = [{ toolCalls: [{ name: 't', args: {} }] }];
    const { id, store, next } = await edited({ profile: asks, tools, replies }, { profile: waitsForUser });
    const without = await next.engine.resume(id);
    const [pending] = without.pending;
    expect(pending).toMatchObject({ kind: 'approval', tool: 't' });
    await expect(without.approve(pending?.id ?? '')).rejects.toMatchObject({
      code: 'TOOL_MISSING',
      message: expect.stringMatching(/still waits/),
    });
    await next.engine.close();
    const last = await testEngine({ profile: waitsForUser, tools, replies: [{ text: 'done' }], store, ids: laterIds() });
    const run = await last.engine.resume(id);
    await run.approve(pending?.id ?? '');
    await run.settled();
    expect(ran).toBe(1);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'ok' }]);
    await last.engine.close();
  });

  it('a difference to the last turn is noted when the run is taken up', async () => {
    const old = tool('t', () => 1);
    const { id, store, next } = await edited(
      { profile: waitsForUser + allow('t', 'gone'), tools: [old, tool('gone', () => 2)] },
      { profile: waitsForUser + allow('t'), tools: [{ ...old, description: 'Does more.' }] },
    );
    const run = await next.engine.resume(id);
    await run.settled();
    expect(await notes(store, id)).toMatchObject([
      {
        code: 'TOOLS_CHANGED',
        level: 'warning',
        agentId: 'Root_1',
        message: 'the tools of Root_1 are not those of its last turn: gone: gone; changed: t',
      },
    ]);
    await next.engine.close();
  });

  it('says what is new, too, and nothing when nothing differs', () => {
    const list = (...names: readonly string[]): string => JSON.stringify(names.map((name) => ({ name })));
    expect(toolChanges(list('a', 'b'), list('b', 'c', 'd'))).toBe('gone: a; new: c, d');
    expect(toolChanges(list('a', 'b'), list('b', 'a'))).toBeUndefined();
  });
});
