import { describe, expect, it } from 'vitest';
import { defineObserver, type CodedObserver } from '../../src/index.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

/** Runs one turn behind observers in code, in this order, and says what came of it. */
async function after(...observe: readonly CodedObserver['observe'][]) {
  const observers = observe.map((one, index) => defineObserver({ name: `o${index}`, observe: one }));
  const calls = observers.map(({ name }) => `{ id: ${name}, action: { type: call, observer: ${name}, params: { by: 3 } } }`);
  const team = await testEngine({
    profile: `${waitsForUser}\npre_turn_observers: [${calls.join(', ')}]`,
    observers,
    replies: [{ text: 'one' }],
  });
  const run = await team.launch();
  await run.settled();
  await verifyRun(run, team.journal, { requests: team.model.requests });
  const events = await team.journal.read(run.id);
  const [agent] = [...run.state.agents.values()];
  const [turn] = run.turns();
  return {
    agent,
    shared: run.state.team.shared,
    changes: events.filter((event) => event.type === 'state.patch'),
    items: events.flatMap((event) => (event.type === 'inbox.add' ? [event.item.source] : [])),
    errors: turn?.observers.map(({ error }) => error?.message) ?? [],
    turn,
  };
}

describe('observers that write to a draft', () => {
  it('what is written is one event by the observer, on the record of the turn with the values before', async () => {
    const { agent, shared, changes, turn } = await after(
      ({ draft, params }) => {
        draft.flags['n'] = Number(draft.flags['n'] ?? 0) + Number(params['by']);
        draft.team.shared['log'] = ['a'];
      },
      ({ draft, agent: seen }) => {
        draft.flags['n'] = Number(draft.flags['n']) * 2;
        (draft.team.shared['log'] as string[]).push(`${seen.meta.agentId} had ${String(seen.flags['n'])}`);
      },
    );
    expect(agent?.flags).toEqual({ n: 6 });
    expect(shared).toEqual({ log: ['a', 'Root_1 had 3'] });
    expect(changes.map(({ by, agentId, patches }) => [by, agentId, patches.length])).toEqual([
      ['o0', 'Root_1', 2],
      ['o1', 'Root_1', 2],
    ]);
    expect(turn?.stateChanges.slice(2)).toMatchObject([
      { path: 'flags.n', before: 3, value: 6, by: 'o1' },
      { path: 'team.shared.log.1', operation: 'insert', value: 'Root_1 had 3' },
    ]);
  });

  it('a draft and a returned list together: updates see what was written, items may hold parts of the draft', async () => {
    const { agent, changes, items, errors } = await after(({ draft }) => {
      draft.flags['n'] = 1;
      draft.values['box'] = { a: 1 };
      return [
        { type: 'update_state', operation: 'increment', path: 'flags.n', value: 10 },
        { type: 'add_to_inbox', source: 'NEWS', payload: draft.values['box'] as never },
      ];
    });
    expect(errors).toEqual([undefined]);
    expect(agent?.flags).toEqual({ n: 11 });
    expect(changes).toHaveLength(2);
    expect(items).toContain('NEWS');
  });

  it('an observer that fails has changed nothing: it throws, returns a promise, lists what cannot be done, or uses a draft that is over', async () => {
    let kept: { flags: Record<string, unknown> } | undefined;
    const { agent, changes, items, errors } = await after(
      ({ draft }) => {
        kept = draft as typeof kept;
        draft.flags['ok'] = true;
      },
      ({ draft }) => {
        draft.flags['x'] = 1;
        throw new Error('no');
      },
      (async ({ draft }: Parameters<CodedObserver['observe']>[0]) => {
        draft.flags['x'] = 1;
        await Promise.resolve();
        draft.flags['x'] = 2;
      }) as never,
      ({ draft }) => {
        draft.flags['x'] = 1;
        return [
          { type: 'add_to_inbox', source: 'NEWS', payload: 1 },
          { type: 'add_to_inbox', target: 'Nobody_9', source: 'NEWS', payload: 1 },
        ];
      },
      ({ draft }) => {
        draft.flags['x'] = 1;
        return [{ type: 'update_state', operation: 'append', path: 'flags.ok', value: 1 }];
      },
      () => {
        if (kept !== undefined) kept.flags['x'] = 1;
      },
      ({ draft }) => {
        const name = JSON.parse('"__proto__"') as string;
        (draft.flags[name] as Record<string, unknown>)['polluted'] = 1;
      },
      ({ run }) => {
        (run.team.shared as Record<string, unknown>)['x'] = 1;
      },
    );
    expect(errors.map((message) => message === undefined)).toEqual([true, false, false, false, false, false, false, false]);
    expect(errors[2]).toMatch(/promise/);
    expect(errors[5]).toMatch(/observer 'o0' is used after its recipe returned/);
    expect(agent?.flags).toEqual({ ok: true });
    expect(changes).toHaveLength(1);
    expect(items.filter((source) => source === 'NEWS')).toEqual([]);
    expect(items.filter((source) => source === 'OBSERVER_FAILURE')).toHaveLength(7);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('an observer that only looks, or writes what is there already, leaves no event', async () => {
    const { changes, errors } = await after(
      () => undefined,
      ({ draft }) => void Object.keys(draft.flags),
      ({ draft }) => {
        delete draft.flags['none'];
      },
    );
    expect(errors).toEqual([undefined, undefined, undefined]);
    expect(changes).toEqual([]);
  });
});
