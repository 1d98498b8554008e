import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxArgumentChars, parseArguments } from '../../src/tools/schema/parse-arguments.ts';

const exact = { effect: 'unsafe', finishedCleanly: true } as const;
const pure = { effect: 'pure', finishedCleanly: true } as const;
const cut = { effect: 'pure', finishedCleanly: false } as const;

describe('parseArguments reads exactly (M8, M9)', () => {
  test.each(['', '  \n', 'null', ' null ', '{}'])('%j is no arguments', (input) => {
    expect(parseArguments(input, exact)).toEqual({ ok: true, args: {}, repaired: false });
  });

  test('an object is taken as it stands', () => {
    expect(parseArguments(' {"a": [1, {"b": null}]} ', exact)).toEqual({
      ok: true,
      args: { a: [1, { b: null }] },
      repaired: false,
    });
  });

  test.each(['[1,2]', '"rm -rf"', '5', 'true'])('%s is no object', (input) => {
    expect(parseArguments(input, pure)).toMatchObject({ ok: false, code: 'TOOL_ARGUMENTS_INVALID' });
  });

  test.each(['{a: 1}', "{'a': 1}", '{"a": 1,}', '```json\n{"a": 1}\n```', '{"a": 1} // one'])(
    '%s is refused for a tool that is not pure',
    (input) => {
      expect(parseArguments(input, exact)).toMatchObject({ ok: false, code: 'TOOL_ARGUMENTS_INVALID' });
    },
  );

  test('text that is too long, or nested too deep, is refused before anything looks at it', () => {
    expect(parseArguments(`{"a":"${'x'.repeat(maxArgumentChars)}"}`, exact)).toMatchObject({
      ok: false,
      code: 'TOOL_ARGUMENTS_INVALID',
    });
    expect(parseArguments(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, exact)).toMatchObject({
      ok: false,
      code: 'TOOL_ARGUMENTS_INVALID',
    });
    expect(parseArguments(`{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`, pure)).toMatchObject({
      ok: false,
      code: 'TOOL_ARGUMENTS_INVALID',
    });
  });
});

describe('parseArguments repairs only where it may', () => {
  test.each(['{a: 1}', "{'a': 1}", '{"a": 1,}', '```json\n{"a": 1}\n```', '{"a": 1 /* one */}'])(
    '%s is repaired for a pure tool',
    (input) => {
      expect(parseArguments(input, pure)).toEqual({ ok: true, args: { a: 1 }, repaired: true });
    },
  );

  test.each(['please search for cats', 'search {cats}', '{cats', 'callback({"a": 1})', '{"a": 1} {"a": 2}'])(
    '%s is never turned into a value',
    (input) => {
      expect(parseArguments(input, pure).ok).toBe(false);
    },
  );

  test.each(['{"a": "b', '{"a": 1', '{"a": [1, 2', '{"a": {"b": 1}', '{"a": "x}', '{', '{"a": "b\\"}'])(
    '%s ends in the middle and is never repaired',
    (input) => {
      expect(parseArguments(input, pure)).toMatchObject({ ok: false, code: 'TOOL_ARGUMENTS_TRUNCATED' });
    },
  );

  test('nothing of a cut reply is used, even when it happens to parse', () => {
    expect(parseArguments('{"a": 1}', cut)).toMatchObject({ ok: false, code: 'TOOL_ARGUMENTS_TRUNCATED' });
  });
});

test('property: every proper start of an argument object is refused, for every kind of tool', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (args, share) => {
        const text = JSON.stringify(args);
        const start = text.slice(0, Math.max(1, Math.floor(text.length * share)));
        for (const options of [exact, pure])
          expect(parseArguments(start, options)).toMatchObject({ ok: false, code: 'TOOL_ARGUMENTS_TRUNCATED' });
      },
    ),
    { numRuns: 500 },
  );
});

test('property: what is executed unrepaired is what JSON.parse reads (M8)', () => {
  const mutated = fc
    .tuple(
      fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 })),
      fc.nat(),
      fc.constantFrom('', '"', '{', '}', ',', 'x', '\\', '1'),
    )
    .map(([args, at, change]) => {
      const text = JSON.stringify(args);
      const place = at % text.length;
      return text.slice(0, place) + change + text.slice(place + 1);
    });
  fc.assert(
    fc.property(mutated, (input) => {
      const parsed = parseArguments(input, exact);
      if (parsed.ok && input.trim() !== '')
        expect(parsed).toEqual({ ok: true, args: JSON.parse(input) as unknown, repaired: false });
    }),
    { numRuns: 1_000 },
  );
});

test.each(['1e999', `${'9'.repeat(250)}e99`, '9'.repeat(400), '-1E+400', '[1e309]', '{"deep":1e309}'])(
  'a number beyond a double is refused, however it is written: %.20s',
  (number) => {
    for (const options of [exact, pure])
      expect(parseArguments(`{"limit":${number}}`, options)).toMatchObject({
        ok: false,
        message: expect.stringContaining('a number is too large to be kept'),
      });
  },
);

test.each(['1e2', '0.5e-400', '12', '9'.repeat(300)])('a number that a double can hold stays: %.20s', (number) => {
  expect(parseArguments(`{"limit":${number}}`, exact)).toMatchObject({ ok: true, args: { limit: Number(number) } });
});
