import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonSchema } from '../../src/core/json.ts';
import { argumentCheck, checkSchema } from '../../src/tools/schema/check-arguments.ts';
import { compileSchema } from '../../src/tools/schema/compile-schema.ts';

const fitting = (schema: JsonSchema, args: JsonObject): boolean => argumentCheck(schema, "tool 't'")(args).ok;
const problems = (schema: JsonSchema, args: JsonObject): readonly string[] => {
  const checked = argumentCheck(schema, "tool 't'")(args);
  return checked.ok ? [] : checked.errors.map(({ path, message }) => `${path} ${message}`);
};
const object = (properties: JsonObject, more: JsonObject = {}): JsonSchema => ({ type: 'object', properties, ...more });

describe('problems are said so that a model can mend them', () => {
  const schema = object(
    {
      query: { type: 'string' },
      limit: { type: ['integer', 'null'] },
      mode: { enum: ['fast', 'exact'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    { required: ['query'], additionalProperties: false },
  );

  test('each problem has its place, what was wanted and what came', () => {
    expect(problems(schema, { qury: 'x', limit: 'many', mode: 'slow', tags: ['a', 1] })).toEqual([
      ' the field "query" is missing',
      ' the field "qury" is unknown, did you mean "query"?; allowed: query, limit, mode, tags',
      '/limit must be integer or null, but is string',
      '/mode must be "fast" or "exact", but is "slow"',
      '/tags/1 must be string, but is integer',
    ]);
  });

  test('a choice between kinds is one sentence', () => {
    expect(problems(object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }), { a: 5 })).toEqual([
      '/a must be string or null, but is integer',
    ]);
  });

  test('a choice between forms says that one of them is enough', () => {
    const form = object({}, { anyOf: [{ required: ['a'] }, { required: ['b'] }] });
    expect(problems(form, {})).toContain(' must fit one of the allowed forms; fixing the problems of one of them is enough');
  });

  test('discriminated forms give the problems of the named form only', () => {
    const form = object({
      shape: {
        type: 'object',
        discriminator: { propertyName: 'kind' },
        required: ['kind'],
        oneOf: [
          { properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['r'] },
          { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['side'] },
        ],
      },
    });
    expect(problems(form, { shape: { kind: 'circle' } })).toEqual(['/shape the field "r" is missing']);
  });

  test('thousands of problems are a short list', () => {
    const checked = problems(object({ a: { type: 'array', items: { type: 'string' } } }), {
      a: Array.from({ length: 5_000 }, () => 1),
    });
    expect(checked.length).toBeLessThan(20);
    expect(checked.at(-1)).toContain('more problems');
  });
});

describe('schemas from the real world are accepted', () => {
  test.each<[string, JsonSchema, JsonObject, JsonObject]>([
    [
      'draft-07 tuples',
      { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ a: { items: [{ type: 'string' }] } }) },
      { a: ['x'] },
      { a: [1] },
    ],
    [
      '2020-12 tuples',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', ...object({ a: { prefixItems: [{ type: 'string' }] } }) },
      { a: ['x'] },
      { a: [1] },
    ],
    ['2020-12 keywords without $schema', object({ a: { prefixItems: [{ type: 'string' }] } }), { a: ['x'] }, { a: [1] }],
    ['unevaluatedProperties', object({ a: {} }, { unevaluatedProperties: false }), { a: 1 }, { b: 1 }],
    ['local definitions', object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'string' } } }), { a: 'x' }, { a: 1 }],
    [
      'references by the own id',
      object(
        { a: { $ref: 'https://a.example/s.json#/definitions/x' } },
        { $id: 'https://a.example/s.json', definitions: { x: { type: 'string' } } },
      ),
      { a: 'x' },
      { a: 1 },
    ],
    [
      'anchors',
      object(
        { a: { $ref: '#x' } },
        { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: { y: { $anchor: 'x', type: 'string' } } },
      ),
      { a: 'x' },
      { a: 1 },
    ],
    [
      'trees',
      object(
        { n: { $ref: '#/definitions/n' } },
        { definitions: { n: object({ children: { type: 'array', items: { $ref: '#/definitions/n' } } }, { required: ['v'] }) } },
      ),
      { n: { v: 1, children: [{ v: 2 }] } },
      { n: { v: 1, children: [{}] } },
    ],
    [
      'foreign keywords and formats',
      object({ a: { type: 'string', format: 'frobnicate', 'x-y': 1, example: 'e', nullable: false } }),
      { a: 'anything' },
      { a: 1 },
    ],
    ['the old id keyword', object({ a: { type: 'string' } }, { id: 'urn:x' }), { a: 'x' }, { a: 1 }],
    ['a property called $id', object({ $id: { type: 'string' }, id: { type: 'integer' } }), { $id: 'x', id: 1 }, { $id: 1 }],
    ['required fields that are not declared', object({}, { required: ['a'] }), { a: 1 }, {}],
    [
      'an OpenAPI discriminator with a mapping',
      object({
        a: {
          type: 'object',
          discriminator: { propertyName: 'k', mapping: { x: '#/x' } },
          oneOf: [{ type: 'object', required: ['x'] }],
        },
      }),
      { a: { x: 1 } },
      { a: {} },
    ],
  ])('%s', (_, schema, good, bad) => {
    expect(fitting(schema, good)).toBe(true);
    expect(fitting(schema, bad)).toBe(false);
  });
});

describe('hostile schemas (P4)', () => {
  test('a pattern that would run for seconds is linear', () => {
    expect(fitting(object({ a: { type: 'string', pattern: '^(a|a)*$' } }), { a: `${'a'.repeat(5_000)}!` })).toBe(false);
    expect(fitting(object({ a: { type: 'string', pattern: '^(a+)+$' } }), { a: 'a'.repeat(5_000) })).toBe(true);
  });

  test('patterns of properties are linear too, and two patterns are two', () => {
    const schema = object(
      { a: { type: 'string', pattern: '^x$' }, b: { type: 'string', pattern: '^y$' } },
      { patternProperties: { '^(n|n)*$': { type: 'integer' } } },
    );
    expect(fitting(schema, { a: 'x', b: 'y', [`${'n'.repeat(50)}!`]: 'free' })).toBe(true);
    expect(fitting(schema, { a: 'y', b: 'y' })).toBe(false);
    expect(fitting(schema, { nn: 'text' })).toBe(false);
  });

  test('a pattern that cannot be linear is not checked, and a warning says so', () => {
    const compiled = compileSchema(object({ a: { type: 'string', pattern: '(?=look)ahead' } }), 'tool');
    expect(compiled.problems({ a: 'anything' })).toEqual([]);
    expect(compiled.warnings).toHaveLength(1);
    expect(compiled.warnings[0]).toContain('(?=look)ahead');
  });

  test.each<[string, JsonSchema, string]>([
    [
      'a circle of references',
      object(
        {},
        { $ref: '#/definitions/a', definitions: { a: { allOf: [{ $ref: '#/definitions/b' }] }, b: { $ref: '#/definitions/a' } } },
      ),
      'refers to itself',
    ],
    ['a reference to itself', object({ a: { $ref: '#/properties/a' } }), 'refers to itself'],
    ['a remote reference', object({ a: { $ref: 'https://example.com/schema.json' } }), 'nothing is fetched'],
    ['a file reference', object({ a: { $ref: 'file:///etc/passwd' } }), 'nothing is fetched'],
    ['a reference to nothing', object({ a: { $ref: '#/definitions/none' } }), 'leads nowhere'],
    ['a reference to a prototype', object({ a: { $ref: '#/constructor' } }), 'leads nowhere'],
    ['an unknown type', object({ a: { type: 'strng' } }), 'strng'],
    ['a keyword of the wrong type', object({}, { required: 'a' }), 'required'],
    [
      'references that double at every step',
      object(
        { a: { $ref: '#/definitions/d0' } },
        {
          definitions: Object.fromEntries(
            Array.from({ length: 40 }, (_, index) => [
              `d${index}`,
              index === 39 ? {} : { allOf: [{ $ref: `#/definitions/d${index + 1}` }, { $ref: `#/definitions/d${index + 1}` }] },
            ]),
          ),
        },
      ),
      'schemas apply to one value',
    ],
  ])('%s is TOOL_INVALID', (_, schema, words) => {
    expect(() => compileSchema(schema, "tool 't'")).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining(words) as string }) as Error,
    );
  });

  test('ids of two schemas do not clash', () => {
    const first = object({ a: { type: 'string' } }, { $id: 'https://same.example/' });
    const second = object({ a: { type: 'integer' } }, { $id: 'https://same.example/' });
    expect(fitting(first, { a: 'x' }) && fitting(second, { a: 1 })).toBe(true);
    expect(fitting(first, { a: 1 }) || fitting(second, { a: 'x' })).toBe(false);
  });

  test('inherited fields do not count as given', () => {
    expect(fitting(object({}, { required: ['toString'] }), {})).toBe(false);
    expect(fitting(object({ toString: { type: 'number' } }), {})).toBe(true);
  });

  test('a definition that refers to itself twice is not followed without end, however deep the value is', () => {
    const twice = { type: 'object', properties: { a: { $ref: '#/$defs/n' } } };
    const schema: JsonSchema = { ...twice, $defs: { n: { allOf: [twice, twice] } } };
    const deep = (levels: number): JsonObject => (levels === 0 ? { a: {} } : { a: deep(levels - 1) });
    expect(fitting(schema, deep(5))).toBe(true);
    expect(argumentCheck(schema, 'tool')(deep(50))).toEqual({
      ok: false,
      errors: [{ path: '', message: expect.stringContaining('refers to itself too often') as string }],
    });
    expect(fitting(schema, deep(5))).toBe(true);
  });

  test('a tree of 100,000 values is checked whole', () => {
    const node = { type: 'object', required: ['v'], properties: { c: { type: 'array', items: { $ref: '#/$defs/n' } } } };
    const schema = object({ a: { $ref: '#/$defs/n' } }, { $defs: { n: node } });
    const tree = (last: JsonObject): JsonObject => ({
      a: { v: 1, c: [...Array.from({ length: 50_000 }, () => ({ v: 1, c: [] })), last] },
    });
    expect(fitting(schema, tree({ v: 1 }))).toBe(true);
    expect(argumentCheck(schema, 'tool')(tree({}))).toMatchObject({ ok: false, errors: [{ path: '/a/c/50000' }] });
  });

  test('20,000 items that all fit none of two kinds are not compared with each other', () => {
    const schema = object({ a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } } });
    const compiled = compileSchema(schema, 'tool');
    const check = (count: number): number => {
      const begun = performance.now();
      expect(compiled.problems({ a: Array.from({ length: count }, (_, at) => at) })).toHaveLength(13);
      return performance.now() - begun;
    };
    check(1_000);
    const few = Math.min(check(1_000), check(1_000), check(1_000));
    // Twenty times as many; compared in pairs it would be 400 times as long.
    expect(check(20_000)).toBeLessThan(Math.max(few, 1) * 150);
  });

  test('uniqueItems over 20,000 objects, with keys in any order', () => {
    const schema = object({ a: { type: 'array', uniqueItems: true } });
    const many = Array.from({ length: 20_000 }, (_, index) => ({ index }));
    expect(fitting(schema, { a: many })).toBe(true);
    expect(fitting(schema, { a: [...many, { index: 7 }] })).toBe(false);
    expect(
      fitting(schema, {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      }),
    ).toBe(false);
  });
});

describe('keys that lead to prototypes are refused wherever they stand (M9)', () => {
  test.each(['{"__proto__":{"a":1}}', '{"a":[{"constructor":1}]}', '{"a":{"b":{"prototype":{}}}}'])('%s', (text) => {
    const checked = argumentCheck({ type: 'object' }, 'tool')(JSON.parse(text) as JsonObject);
    expect(checked).toMatchObject({ ok: false, errors: [{ message: 'fields of this name are not accepted' }] });
  });

  test('as values and in near misses they are fine', () => {
    expect(fitting({ type: 'object' }, { a: '__proto__', proto: 1, list: ['constructor'] })).toBe(true);
  });
});

describe('checkSchema', () => {
  test('checks values that are no objects', () => {
    expect(checkSchema({ type: 'string' }, 'yes')).toEqual({ ok: true, args: {} });
    expect(checkSchema({ enum: ['yes', 'no'] }, 'maybe')).toMatchObject({ ok: false });
    expect(checkSchema({ type: 'object' }, { a: 1 })).toEqual({ ok: true, args: { a: 1 } });
  });

  test('a schema that cannot be used is a problem, not an exception', () => {
    expect(checkSchema({ $ref: 'https://example.com/x' }, 1)).toMatchObject({ ok: false });
  });
});
