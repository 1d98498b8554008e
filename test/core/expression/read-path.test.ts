import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileExpression } from '../../../src/core/expression/expression.ts';
import { readPath } from '../../../src/core/expression/read-path.ts';

const scope = {
  state: {
    current_action: { type: 'x' },
    messages: [{ content: 'a' }, { content: 'b' }],
    'k.l': { m: 1 },
    k: { l: { m: 2, n: 3 } },
    fn: () => 1,
  },
  flags: { n: 0, 'a.b': { c: 'deep' }, list: [[1, 2], [3]] },
};

describe('readPath', () => {
  test.each([
    ['state.current_action.type', 'x'],
    ['current_action.type', 'x'],
    ['flags.n', 0],
    ['flags.missing.deeper', null],
    ['messages[0].content', 'a'],
    ['messages[-1].content', 'b'],
    ['messages[5].content', null],
    ['messages.1.content', 'b'],
    ['flags.list[0][-1]', 2],
    ['flags.a.b.c', 'deep'],
    ['k.l.m', 1],
    ['k.l.n', null],
    ['state', scope.state],
    ['fn', null],
    ['', null],
    ['[0]', null],
    ['..', null],
    ['flags.constructor', null],
    ['__proto__', null],
    ['flags.list.length', null],
  ])('%s', (path, expected) => {
    expect(readPath(scope, path)).toEqual(expected);
  });

  test('never throws, whatever the data and the path', () => {
    const path = fc.oneof(
      fc.string(),
      fc
        .array(fc.oneof(fc.string(), fc.constantFrom('.', '[0]', '[-1]', 'state', 'a', '__proto__', '[')), { maxLength: 8 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.jsonValue(), path, (data, text) => {
        const value = readPath(data, text);
        expect(value).not.toBeUndefined();
        expect(typeof value).not.toBe('function');
      }),
    );
    for (const odd of [undefined, null, 1, 'text', () => 1, [1]]) expect(readPath(odd, 'a.b')).toBeNull();
  });

  test('v[…] reads what readPath reads, written as a literal or computed', () => {
    fc.assert(
      fc.property(
        // Keys that lead to prototypes are dropped from results, and read as nothing by readPath's caller.
        fc.dictionary(
          fc.constantFrom('a', 'b', 'a.b'),
          fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')),
        ),
        fc.constantFrom('a', 'b', 'a.b', 'a.b[0]', 'a[0].b', 'flags.a.b', 'b[-1]'),
        (data, path) => {
          const given = { state: data, flags: data };
          const expected = readPath(given, path);
          for (const source of [`v['${path}']`, `v['' + '${path}']`]) {
            const compiled = compileExpression(source);
            expect(compiled.ok && compiled.value.evaluate(given)).toEqual(expected);
          }
        },
      ),
    );
  });
});
