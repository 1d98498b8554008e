import { deepStrictEqual } from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/core/read-json.ts';
import { json } from '../journal/event-arbitrary.ts';

/** JSON whose keys are made of what V8 mistakes for each other. */
const tricky = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1.5e-7, '', '\\', '":', '{"\\n":1}', '"\\":'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(
        fc.tuple(fc.string({ unit: fc.constantFrom('a', 'n', '\\', '\n', '"', '\0', 'u', ':'), maxLength: 3 }), tie('value')),
        {
          maxLength: 3,
        },
      )
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

describe('readJson', () => {
  it('reads the keys that stand in the text, whatever was read before', () => {
    // V8 mistakes a key only where it expects another: no other object of this process begins with these names.
    for (const [before, text, key] of [
      [String.raw`{"line":0,"\\":1}`, String.raw`{"line":0,"\n":1}`, '\n'],
      [String.raw`{"code":0,"\\":1}`, String.raw`{"code":0,"\u0041":1}`, 'A'],
      [String.raw`{"drive":0,"C:\\":1}`, String.raw`{ "drive": 0, "C:\"" : 1 }`, 'C:"'],
      [String.raw`{"word":0,"\\nX":1}`, String.raw`{"word":0,"\nXY":1}`, '\nXY'],
    ] as const) {
      JSON.parse(before);
      expect(Object.keys(readJson(text) as object)[1]).toBe(key);
    }
  });

  it('gives back any value, written in any way', () => {
    fc.assert(
      fc.property(fc.oneof(json, tricky), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        deepStrictEqual(readJson(JSON.stringify(value, null, space)), value);
      }),
      { numRuns: 3000 },
    );
  });

  it('reads keys that are given twice, names that objects inherit, and a thousand levels like `JSON.parse`', () => {
    deepStrictEqual(
      readJson(String.raw`{"\n":1,"a":2,"\n":3,"__proto__":{"\t":4}}`),
      Object.fromEntries([
        ['\n', 3],
        ['a', 2],
        ['__proto__', { '\t': 4 }],
      ]),
    );
    const deep = `${'[{"\\n":'.repeat(100_000)}1${'}]'.repeat(100_000)}`;
    let value = readJson(deep);
    for (let level = 0; level < 100_000; level += 1) value = (value as readonly Record<string, unknown>[])[0]?.['\n'];
    expect(value).toBe(1);
  });

  it('refuses what is no JSON with the words of `JSON.parse`', () => {
    for (const text of ['', '{', String.raw`{"\n":1`, '"\\', '"\\"', String.raw`{"\x":1}`, '1 2', 'undefined'])
      expect(() => readJson(text)).toThrow(messageOf(text));
  });

  it('reads millions of escapes, which a step per pair of them could not', () => {
    const value = { text: '"\\\n'.repeat(1_000_000), list: Array.from({ length: 100_000 }, () => '\n'), '\n': 1 };
    deepStrictEqual(readJson(JSON.stringify(value)), value);
  });
});

function messageOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it is JSON');
}
