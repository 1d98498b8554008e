import { describe, expect, it } from 'vitest';
import { defineObserver, toolReturn } from '../../src/index.ts';
import type { ToolReturnFields } from '../../src/core/tool/tool-return.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

/** Lets a tool return results one after the other, and says what came of each. */
async function returning(...results: readonly ToolReturnFields[]) {
  const left = [...results];
  const team = await testEngine({
    profile: waitsForUser + allow('change'),
    tools: [tool('change', () => toolReturn(left.shift() ?? { content: '' }))],
    replies: [...results.map(() => ({ toolCalls: [{ name: 'change', args: {} }] })), { text: 'done' }],
  });
  const run = await team.launch();
  await run.settled();
  const events = await verifyRun(run, team.journal, { requests: team.model.requests });
  const [agent] = [...run.state.agents.values()];
  return {
    agent,
    run,
    shared: run.state.team.shared,
    changes: events.filter((event) => event.type === 'state.patch'),
    ends: events.flatMap((event) => (event.type === 'tool.end' ? [event] : [])),
    items: events.flatMap((event) => (event.type === 'inbox.add' ? [event.item.source] : [])),
  };
}

type Recipe = NonNullable<ToolReturnFields['update']>;

it('F41: a secret that code writes to state is taken out of values, and refused as a key', async () => {
  const secret = 'sk-secret-12345678';
  const team = await testEngine({
    profile: `${waitsForUser + allow('change')}\npre_turn_observers: [{ id: o, action: { type: call, observer: o } }]`,
    secrets: [secret],
    observers: [defineObserver({ name: 'o', observe: ({ draft }) => void (draft.values['seen'] = secret) })],
    tools: [tool('change', () => toolReturn({ content: 'ok', update: (draft) => void (draft.values[secret] = 1) }))],
    replies: [{ toolCalls: [{ name: 'change', args: {} }] }, { text: 'done' }],
  });
  const run = await team.launch();
  await run.settled();
  const events = await team.journal.read(run.id);
  expect(JSON.stringify(events)).not.toContain(secret);
  expect(events.find((event) => event.type === 'tool.end')).toMatchObject({ status: 'error' });
  expect([...run.state.agents.values()][0]?.values).toEqual({ seen: '[secret]' });
});

describe('F4: tools that return an update of state', () => {
  it('what is written to the draft is one event by the tool, on the record of the turn with the values before', async () => {
    const { agent, shared, changes, run } = await returning(
      { content: 'one', values: { n: 1 }, update: (draft) => void (draft.values['n'] = Number(draft.values['n']) + 10) },
      {
        content: 'two',
        update: (draft) => {
          draft.flags['seen'] = true;
          draft.values['n'] = Number(draft.values['n']) * 2;
          draft.team.shared['log'] = [`n was ${String(draft.values['n'])}`];
        },
      },
    );
    expect(agent?.values).toEqual({ n: 22 });
    expect(agent?.flags).toEqual({ seen: true });
    expect(shared).toEqual({ log: ['n was 22'] });
    expect(changes.map(({ by, patches }) => [by, patches.length])).toEqual([
      ['change', 1],
      ['change', 1],
      ['change', 3],
    ]);
    const seen = run.turns().flatMap((turn) => turn.stateChanges.map(({ path, before, value, by }) => [path, before, value, by]));
    expect(seen).toContainEqual(['values.n', 11, 22, 'change']);
  });

  it('one that fails leaves nothing of its result: it throws, is async, reaches a prototype, or uses a draft that is over', async () => {
    let kept: { values: Record<string, unknown> } | undefined;
    const proto = JSON.parse('"__proto__"') as string;
    const recipes: readonly Recipe[] = [
      (draft) => {
        kept = draft as typeof kept;
        draft.values['ok'] = true;
      },
      (draft) => {
        draft.values['x'] = 1;
        throw new Error('no');
      },
      (async (draft: Parameters<Recipe>[0]) => {
        draft.values['x'] = 1;
        await Promise.resolve();
      }) as Recipe,
      (draft) => {
        (draft.values[proto] as Record<string, unknown>)['polluted'] = 1;
      },
      (draft) => {
        draft.values[proto] = { polluted: 1 };
      },
      () => {
        if (kept !== undefined) kept.values['x'] = 1;
      },
      (draft) => {
        (draft as { messages?: unknown }).messages = [];
      },
    ];
    const { agent, changes, ends, items } = await returning(
      ...recipes.map((update) => ({ content: 'done', values: { y: 1 }, update, items: [{ source: 'NEWS', payload: 1 }] })),
    );
    expect(ends.map(({ status }) => status)).toEqual(['ok', ...recipes.slice(1).map(() => 'error')]);
    expect(ends.slice(1).every(({ content }) => String(content).includes('change'))).toBe(true);
    expect(agent?.values).toEqual({ y: 1, ok: true });
    expect(changes).toHaveLength(2);
    expect(items.filter((source) => source === 'NEWS')).toHaveLength(1);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
