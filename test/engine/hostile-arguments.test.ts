import { describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Run } from '../../src/engine/run.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

/** Values that no caller can mean, as untyped code hands them in. */
const hostile: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  'an empty text': '',
  blanks: '   ',
  'a number': 7,
  NaN: Number.NaN,
  true: true,
  'an empty object': {},
  'an empty list': [],
  'a list of nothing': [undefined],
  'a list of objects': [{}],
  'a symbol': Symbol('x'),
  'a function': () => 'x',
  'a date': new Date(0),
  'an object without a prototype': Object.create(null),
  __proto__: '__proto__',
};

type Call = (engine: Engine, run: Run, value: never) => unknown;

/** Calls of the public surface with one hostile argument, and the values that mean something there. */
const calls: readonly (readonly [name: string, call: Call, fine?: readonly string[]])[] = [
  ['engine.launch(value)', (engine, _, value) => engine.launch(value)],
  ['engine.launch({ profile: value })', (engine, _, value) => engine.launch({ profile: value, input: 'x' }), ['undefined']],
  [
    'engine.launch({ input: value })',
    (engine, _, value) => engine.launch({ profile: 'Root', input: value }),
    ['a number', 'true', '__proto__', 'a date', 'NaN', 'an empty object', 'an object without a prototype'],
  ],
  [
    'engine.launch(…, value)',
    (engine, _, value) => engine.launch({ profile: 'Root', input: 'x' }, value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  ['engine.resume(value)', (engine, _, value) => engine.resume(value)],
  [
    'engine.resume(id, value)',
    (engine, run, value) => engine.resume(run.id, value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  [
    'engine.recover(value)',
    (engine, _, value) => engine.recover(value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  ['engine.open(value)', (engine, _, value) => engine.open(value)],
  ['engine.fork(value)', (engine, _, value) => engine.fork(value)],
  [
    'engine.fork(id, value)',
    (engine, run, value) => engine.fork(run.id, value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  ['engine.fork(id, { at: value })', (engine, run, value) => engine.fork(run.id, { at: value }), ['undefined', 'a number']],
  ['engine.cancel(value)', (engine, _, value) => engine.cancel(value)],
  [
    'engine.runs(value)',
    (engine, _, value) => engine.runs(value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  ['engine.catalog.rename(value, …)', (engine, _, value) => engine.catalog.rename(value, 'x')],
  ['engine.catalog.rename(id, value)', (engine, run, value) => engine.catalog.rename(run.id, value), ['null', '__proto__']],
  ['engine.catalog.move(value, …)', (engine, _, value) => engine.catalog.move(value, 'x')],
  ['engine.catalog.move(id, value)', (engine, run, value) => engine.catalog.move(run.id, value), ['null', '__proto__']],
  ['engine.catalog.remove(value)', (engine, _, value) => engine.catalog.remove(value)],
  ['engine.catalog.restore(value)', (engine, _, value) => engine.catalog.restore(value)],
  ['engine.catalog.renameProject(value, …)', (engine, _, value) => engine.catalog.renameProject(value, 'x')],
  [
    'engine.close(value)',
    (engine, _, value) => engine.close(value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  ['run.send(value)', (_, run, value) => run.send(value), ['__proto__']],
  [
    'run.send(…, value)',
    (_, run, value) => run.send('x', value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  ['run.send(…, { to: value })', (_, run, value) => run.send('x', { to: value }), ['undefined']],
  ['run.approve(value)', (_, run, value) => run.approve(value)],
  [
    'run.approve(id, value)',
    (_, run, value) => run.approve(run.pending[0]?.id ?? '', value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  [
    'run.approve(id, { always: value })',
    (_, run, value) => run.approve(run.pending[0]?.id ?? '', { always: value }),
    ['undefined', 'true'],
  ],
  [
    'run.approve(id, { args: value })',
    (_, run, value) => run.approve(run.pending[0]?.id ?? '', { args: value }),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  ['run.reject(value)', (_, run, value) => run.reject(value)],
  [
    'run.reject(id, value)',
    (_, run, value) => run.reject(run.pending[0]?.id ?? '', value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  [
    'run.reject(id, { message: value })',
    (_, run, value) => run.reject(run.pending[0]?.id ?? '', { message: value }),
    ['undefined', 'an empty text', 'blanks', '__proto__'],
  ],
  ['run.answer(value, …)', (_, run, value) => run.answer(value, 'x')],
  ['run.note(value)', (_, run, value) => run.note(value)],
  ['run.cancel(value)', (_, run, value) => run.cancel(value), ['undefined', 'an empty text', 'blanks', '__proto__']],
  [
    'run.cancel(…, value)',
    (_, run, value) => run.cancel('x', value),
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
  ['run.cancel(…, { agentId: value })', (_, run, value) => run.cancel('x', { agentId: value }), ['undefined']],
  ['run.updateProfiles(value)', (_, run, value) => run.updateProfiles(value)],
  ['run.updateModules(value)', (_, run, value) => run.updateModules(value)],
  ['run.turns(value)', (_, run, value) => run.turns(value), ['undefined', 'an empty object', 'an object without a prototype']],
  ['run.turn(value)', (_, run, value) => run.turn(value), ['__proto__']],
  ['run.why(value, …)', (_, run, value) => run.why(value, 'x')],
  ['run.why(id, value)', (_, run, value) => run.why('Root_1.t1', value), ['__proto__']],
  ['run.withKnowledge(value)', (_, run, value) => run.withKnowledge(value), ['an empty text', 'blanks', '__proto__']],
  ['run.subscribe(value)', (_, run, value) => run.subscribe(value), ['an empty object', 'an object without a prototype']],
  [
    'run.events(value)',
    async (_, run, value) => {
      for await (const event of run.events(value)) return event;
      return undefined;
    },
    ['undefined', 'an empty object', 'an object without a prototype'],
  ],
];

describe('F50: what no caller can mean is refused with what, where and what is allowed, and changes nothing', () => {
  it.each(calls.map(([name, call, fine = []]) => ({ name, call, fine })))('$name', async ({ call, fine }) => {
    const wrong: string[] = [];
    for (const [name, value] of Object.entries(hostile)) {
      if (fine.includes(name)) continue;
      const team = await testEngine({
        profile: `${waitsForUser}${allow('pay')}\ntool_gates: [{ id: money, tools: [pay], verdict: ask }]`,
        tools: [tool('pay', () => 'paid')],
        replies: [{ toolCalls: [{ name: 'pay', args: {} }] }],
      });
      const run = await team.launch();
      await run.settled();
      const before = JSON.stringify([await team.journal.read(run.id), await team.engine.runs()]);
      try {
        await call(team.engine, run, value as never);
        wrong.push(`${name}: taken`);
      } catch (thrown) {
        if (!(thrown instanceof CadreError)) wrong.push(`${name}: ${String(thrown)}`);
        else if (thrown.code === 'INTERNAL') wrong.push(`${name}: ${thrown.code} ${thrown.message}`);
      }
      if (JSON.stringify([await team.journal.read(run.id), await team.engine.runs().catch(() => undefined)]) !== before)
        wrong.push(`${name}: something was changed`);
      await team.engine.close();
    }
    expect(wrong).toEqual([]);
  });
});
