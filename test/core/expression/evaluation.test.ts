import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentRoots } from '../../../src/core/expression/agent-roots.ts';
import { CadreError } from '../../../src/core/error.ts';
import { compileExpression, type Expression } from '../../../src/core/expression/expression.ts';

function compile(source: string): Expression {
  const compiled = compileExpression(source, agentRoots);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}

describe('test', () => {
  test.each([
    [null, false],
    [false, false],
    [0, false],
    ['', false],
    [[], false],
    [{}, false],
    [undefined, false],
    [() => 1, false],
    [1, true],
    ['a', true],
    [[0], true],
    [{ a: null }, true],
    [-1n, true],
  ])('%s is %s', (value, expected) => {
    expect(compile('flags.x').test({ flags: { x: value } })).toBe(expected);
    expect(compile('!flags.x').test({ flags: { x: value } })).toBe(!expected);
    expect(compile('truthy(flags.x)').evaluate({ flags: { x: value } })).toBe(expected);
  });

  test('throws a CONDITION_FAILED error that names the place', () => {
    try {
      compile('state.turn_count > 1 && default(flags.a, 1) > "x"').test({ state: { turn_count: 2 }, flags: {} });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(CadreError);
      expect(error).toMatchObject({ code: 'CONDITION_FAILED', details: { start: 24, end: 49 } });
    }
  });

  test('says what to do about a missing number', () => {
    expect(() => compile('flags.n > 2').test({ flags: {} })).toThrow('use default(x, 0), in `flags.n > 2`');
  });
});

describe('evaluate', () => {
  test('gives plain data: BigInt is a number, functions and undefined are null', () => {
    const value = compile('flags').evaluate({ flags: { big: [1n, { deep: 2n }], fn: () => 1, none: undefined, ok: 'x' } });
    expect(value).toEqual({ big: [1, { deep: 2 }], fn: null, none: null, ok: 'x' });
  });

  test('gives back plain data as it is, whatever it is', () => {
    const plain = fc.jsonValue().filter((data) => !JSON.stringify(data).includes('__proto__'));
    fc.assert(fc.property(plain, (data) => void expect(compile('flags.x').evaluate({ flags: { x: data } })).toBe(data)));
  });

  test('reads a root only when it is needed, through its getter', () => {
    let reads = 0;
    const scope = {
      flags: { ready: false },
      get state() {
        reads += 1;
        return { current_action: 'x' };
      },
    };
    const expression = compile('flags.ready && state.current_action');
    expect(expression.test(scope)).toBe(false);
    expect(reads).toBe(0);
    expect(compile("v['state.current_action']").evaluate(scope)).toBe('x');
    expect(reads).toBe(1);
  });

  test('never changes the scope, and two evaluations share nothing', () => {
    const scope = deepFreeze({ flags: { list: [3, 1, 2], map: { a: [1] }, text: 'b' }, state: { messages: [{ role: 'user' }] } });
    const before = JSON.stringify(scope);
    for (const source of [
      'sort(flags.list)',
      'flags.list + [4]',
      'unique(flatten([flags.list, flags.list]))',
      'flags.list.map(x, x + 1).filter(x, x > 2)',
      'slice(flags.list, -2)',
      "replace(flags.text, 'b', 'c')",
      'keys(flags.map) + values(flags.map)',
      "{'list': flags.list, 'again': flags.list}",
      "v['messages[-1].role']",
    ]) {
      expect(compile(source).evaluate(scope)).toEqual(compile(source).evaluate(scope));
    }
    expect(JSON.stringify(scope)).toBe(before);
    const literal = compile("[1, {'a': []}]");
    expect(literal.evaluate({})).not.toBe(literal.evaluate({}));
  });

  test('one expression may be evaluated while it is being evaluated', () => {
    const outer = compile('[1, 2].map(x, [10, 20].map(y, x + y + default(state.turn_count, 0)))');
    const scope = {
      get state(): unknown {
        expect(outer.evaluate({ state: {} })).toEqual([
          [11, 21],
          [12, 22],
        ]);
        return { turn_count: 100 };
      },
    };
    expect(outer.evaluate(scope)).toEqual([
      [111, 121],
      [112, 122],
    ]);
  });

  test('agrees with JavaScript on arithmetic and order of numbers', () => {
    const number = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const scope = { flags: { a, b } };
        expect(compile('flags.a + flags.b * 2').evaluate(scope)).toBe(a + b * 2);
        expect(compile(`flags.a < ${b} || flags.a == ${b}`).evaluate(scope)).toBe(a <= b);
        expect(compile('flags.a >= flags.b').evaluate(scope)).toBe(a >= b);
      }),
    );
  });

  test('equality is reflexive on any data', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        (data) => void expect(compile('flags.a == flags.b').evaluate({ flags: { a: data, b: structuredClone(data) } })).toBe(true),
      ),
    );
  });
});
