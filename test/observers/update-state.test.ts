import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/core/ids.ts';
import { defineObserver, type ObserverResult } from '../../src/index.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const rootOf = (run: { readonly state: { readonly agents: ReadonlyMap<AgentId, unknown> } }) =>
  [...run.state.agents.values()][0] as { readonly flags: unknown; readonly values: unknown; readonly deliverables: unknown };

/** Runs one turn behind these updates, each list of them an observer; says what came of it. */
async function after(...lists: readonly string[]) {
  const observers = lists.map((updates, index) => `  - { id: o${index}, action: { type: update_state, updates: [${updates}] } }`);
  const team = await testEngine({
    profile: `${waitsForUser}\npre_turn_observers:\n${observers.join('\n')}\n`,
    replies: [{ text: 'one' }],
  });
  const run = await team.launch();
  await run.settled();
  await verifyRun(run, team.journal, { requests: team.model.requests });
  const [turn] = run.turns();
  const events = await team.journal.read(run.id);
  return { root: rootOf(run), events, turn, errors: turn?.observers.map(({ error }) => error?.message) ?? [] };
}

describe('update_state', () => {
  it('F4: a path leads into a list by the index of an entry', async () => {
    const { root, errors } = await after(
      '{ operation: set, path: flags.list, value: [{ done: false }, { done: false }] }',
      '{ operation: set, path: flags.list.0.done, value: true }, { operation: increment, path: flags.list.1.tries }',
      '{ operation: append, path: flags.list.1.log, value: a }',
    );
    expect(root.flags).toEqual({ list: [{ done: true }, { done: false, tries: 1, log: ['a'] }] });
    expect(errors).toEqual([undefined, undefined, undefined]);
  });

  it('an action that fails leaves the state as the journal has it, with the sources that it read', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}
inbox_handling_strategies:
  - { source: HOOK, ingestor: markdown_formatter, trust: untrusted }
post_turn_observers:
  - id: copies
    action:
      type: update_state
      updates:
        - { operation: set, path: values.copy, value: '{{ inbox[0].payload.text }}' }
        - { operation: set, path: values.list, value: [1] }
        - { operation: increment, path: values.list }
`,
      replies: [{ text: 'one' }, { text: 'two' }],
    });
    const run = await team.launch();
    await run.send({ source: 'HOOK', payload: { text: 'from outside' } });
    await run.settled();
    expect(run.turns()[0]?.observers.find(({ id }) => id === 'copies')?.error?.message).toMatch(/increment/);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it.each([
    [
      'append',
      'to a text',
      '{ operation: set, path: flags.at, value: text }',
      '{ operation: append, path: flags.at, value: more }',
      [/append/, /flags\.at/, /"more"/, /text/],
    ],
    [
      'append',
      'to an object',
      '{ operation: set, path: flags.at.x, value: 1 }',
      '{ operation: append, path: flags.at, value: more }',
      [/append/, /flags\.at/, /object/],
    ],
    [
      'increment',
      'of a list',
      '{ operation: set, path: flags.at, value: [1] }',
      '{ operation: increment, path: flags.at }',
      [/increment/, /flags\.at/, /list/],
    ],
    [
      'increment',
      'by a text',
      '{ operation: set, path: flags.at, value: 1 }',
      '{ operation: increment, path: flags.at, value: two }',
      [/increment/, /flags\.at/, /"two"/],
    ],
    [
      'set',
      'below a text',
      '{ operation: set, path: flags.at, value: text }',
      '{ operation: set, path: flags.at.x, value: 1 }',
      [/set/, /flags\.at\.x/, /flags\.at is a text/],
    ],
    [
      'set',
      'behind the end of a list',
      '{ operation: set, path: flags.at, value: [1] }',
      '{ operation: set, path: flags.at.3, value: 1 }',
      [/set/, /flags\.at\.3/, /1 entry/],
    ],
    [
      'set',
      'a name in a list',
      '{ operation: set, path: flags.at, value: [1] }',
      '{ operation: set, path: flags.at.done, value: 1 }',
      [/set/, /flags\.at\.done/, /list/],
    ],
    [
      'remove',
      'below a number',
      '{ operation: set, path: flags.at, value: 1 }',
      '{ operation: remove, path: flags.at.x }',
      [/remove/, /flags\.at\.x/, /number/],
    ],
  ])('F4: %s %s is refused, names path, verb and value, and changes nothing', async (_verb, _what, first, second, words) => {
    const { root, errors, events, turn } = await after(first, `{ operation: set, path: flags.other, value: 1 }, ${second}`);
    expect(root.flags).toEqual((await after(first)).root.flags);
    for (const word of words) expect(errors[1]).toMatch(word);
    expect(turn?.observers[1]).toMatchObject({ fired: false, error: { code: 'OBSERVER_FAILED' } });
    expect(events.flatMap((event) => (event.type === 'inbox.add' ? [event.item] : []))).toContainEqual(
      expect.objectContaining({
        source: 'OBSERVER_FAILURE',
        payload: { failed_observer_id: 'o1', error_message: errors[1] },
      }),
    );
  });

  it('null counts as nothing: numbers, lists and objects may begin there', async () => {
    const { root, errors } = await after(
      '{ operation: set, path: flags.a, value: null }, { operation: set, path: flags.b, value: null }, { operation: set, path: flags.c, value: null }',
      '{ operation: increment, path: flags.a }, { operation: append, path: flags.b, value: 1 }, { operation: set, path: flags.c.d.e, value: 2 }',
    );
    expect(errors).toEqual([undefined, undefined]);
    expect(root.flags).toEqual({ a: 1, b: [1], c: { d: { e: 2 } } });
  });

  it('one event holds all changes of an action, with their values before, and undoes them', async () => {
    const { events, turn } = await after(
      '{ operation: set, path: values.log, value: [1, 2] }, { operation: set, path: team.shared.n, value: 1 }',
      '{ operation: append, path: values.log, value: 3 }, { operation: increment, path: team.shared.n }, { operation: remove, path: values.log.0 }, { operation: increment, path: flags.n }',
    );
    const changes = events.filter((event) => event.type === 'state.patch');
    expect(changes.map(({ by, patches }) => [by, patches.length])).toEqual([
      ['o0', 2],
      ['o1', 4],
    ]);
    expect(changes[1]).toMatchObject({
      agentId: 'Root_1',
      patches: [
        { op: 'add', path: ['values', 'log', 2], value: 3 },
        { op: 'replace', path: ['team', 'shared', 'n'], value: 2 },
        { op: 'remove', path: ['values', 'log', 0] },
        { op: 'add', path: ['flags', 'n'], value: 1 },
      ],
      inverse: [
        { op: 'remove', path: ['flags', 'n'] },
        { op: 'add', path: ['values', 'log', 0], value: 1 },
        { op: 'replace', path: ['team', 'shared', 'n'], value: 1 },
        { op: 'remove', path: ['values', 'log', 2] },
      ],
    });
    expect(turn?.stateChanges.slice(2)).toMatchObject([
      { scope: 'agent', operation: 'insert', path: 'values.log.2', value: 3, by: 'o1' },
      { scope: 'team', operation: 'set', path: 'team.shared.n', before: 1, value: 2 },
      { operation: 'remove', path: 'values.log.0', before: 1 },
      { operation: 'set', path: 'flags.n', value: 1 },
    ]);
  });

  it('nothing that was not there is removed, and no event says so', async () => {
    const { root, events, errors } = await after(
      '{ operation: remove, path: flags.none }, { operation: remove, path: flags.none.below }',
    );
    expect(errors).toEqual([undefined]);
    expect(root.flags).toEqual({});
    expect(events.map(({ type }) => type)).not.toContain('state.patch');
  });
});

describe('update_state of observers in code', () => {
  const returning = async (first: readonly ObserverResult[], second: readonly ObserverResult[]) => {
    const team = await testEngine({
      profile: `${waitsForUser}\npre_turn_observers: [{ id: a, action: { type: call, observer: a } }, { id: b, action: { type: call, observer: b } }]`,
      observers: [defineObserver({ name: 'a', observe: () => first }), defineObserver({ name: 'b', observe: () => second })],
      replies: [{ text: 'one' }],
    });
    const run = await team.launch();
    await run.settled();
    await verifyRun(run, team.journal, { requests: team.model.requests });
    const events = await team.journal.read(run.id);
    return { events, root: rootOf(run), observers: run.turns()[0]?.observers ?? [] };
  };

  it('F4: a path through a prototype, a missing value and a wrong type are refused; nothing of the observer is done', async () => {
    for (const bad of [
      { operation: 'set', path: 'flags.__proto__.polluted', value: 1 },
      { operation: 'set', path: 'constructor.prototype.polluted', value: 1 },
      { operation: 'set', path: 'flags.toString', value: 1 },
      { operation: 'set', path: 'flags', value: {} },
      { operation: 'set', path: '', value: 1 },
      { operation: 'append', path: 'flags.text', value: 1 },
      { operation: 'increment', path: 'values.big', value: 1.7e308 },
      { operation: 'twist', path: 'flags.x', value: 1 },
      { operation: 'remove', path: 'flags.text', value: 1 },
    ] as never[]) {
      const { root, events, observers } = await returning(
        [{ type: 'update_state', operation: 'set', path: 'flags.text', value: 'x' }],
        [
          { type: 'add_to_inbox', source: 'NEWS', payload: 1 },
          { type: 'update_state', operation: 'set', path: 'big', value: 1.7e308 },
          { type: 'update_state', ...(bad as object) } as ObserverResult,
        ],
      );
      expect(root.flags).toEqual({ text: 'x' });
      expect(observers[1]?.error?.message).toMatch(/update_state/);
      expect(events.map((event) => (event.type === 'inbox.add' ? event.item.source : ''))).not.toContain('NEWS');
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('every entry of a list that equals the value is removed, and comes back with the inverse', async () => {
    const { root, events } = await returning(
      [{ type: 'update_state', operation: 'set', path: 'log', value: [1, { a: 1 }, 2, { a: 1 }] }],
      [{ type: 'update_state', operation: 'remove', path: 'values.log', value: { a: 1 } }],
    );
    expect(root.values).toEqual({ log: [1, 2] });
    const changes = events.filter((event) => event.type === 'state.patch');
    expect(changes[1]?.inverse).toEqual([
      { op: 'add', path: ['values', 'log', 1], value: { a: 1 } },
      { op: 'add', path: ['values', 'log', 3], value: { a: 1 } },
    ]);
  });
});
