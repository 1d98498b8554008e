import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.ts';
import { maxWireDepth, toWire } from '../../src/core/tool/to-wire.ts';

/** Result for a value that has no JSON form. */
const named = (kind: string): JsonValue => ({ unserialisable: kind });

function chain(depth: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < depth; level += 1) value = { next: value };
  return value;
}

describe('toWire follows fixed rules (X4)', () => {
  const when = new Date('2026-11-21T10:00:00.000Z');
  const cases: readonly (readonly [string, unknown, JsonValue])[] = [
    ['plain JSON as it is', { a: [1, 'x', null, true, { b: 2 }] }, { a: [1, 'x', null, true, { b: 2 }] }],
    ['undefined at the top', undefined, null],
    ['undefined in lists and objects', { a: [undefined], b: undefined }, { a: [null] }],
    ['negative zero', [-0], [0]],
    ['numbers that JSON lacks', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], ['NaN', 'Infinity', '-Infinity']],
    ['a date', when, '2026-11-21T10:00:00.000Z'],
    ['an invalid date', new Date(Number.NaN), named('invalid date')],
    ['a BigInt', 12_345_678_901_234_567_890n, '12345678901234567890'],
    ['a map with texts as keys', new Map([['a', new Set([1, 2])]]), { a: [1, 2] }],
    ['a map with other keys', new Map([[{ k: 1 }, 'v']]), [[{ k: 1 }, 'v']]],
    ['bytes', Buffer.from('hi'), { bytes: 2, base64: 'aGk=' }],
    ['an array buffer', new Uint8Array([104, 105]).buffer, { bytes: 2, base64: 'aGk=' }],
    ['a data view', new DataView(new Uint8Array([1, 104, 105]).buffer, 1), { bytes: 2, base64: 'aGk=' }],
    ['other typed arrays', [new Float64Array([1.5]), new BigInt64Array([2n])], [[1.5], ['2']]],
    ['a URL', new URL('https://example.com/a?b=1'), 'https://example.com/a?b=1'],
    ['URL parameters', new URLSearchParams({ a: '1' }), 'a=1'],
    ['a regular expression', /a+/gu, '/a+/gu'],
    ['boxed values', [Object(1), Object('s'), Object(false), Object(3n)], [1, 's', false, '3']],
    ['a function and a symbol', { f: () => 1, s: Symbol('s') }, { f: named('function'), s: named('symbol') }],
    ['a promise', Promise.resolve(1), named('Promise')],
    ['a weak map', new WeakMap(), named('WeakMap')],
    ['an iterator', [1].values(), named('Array Iterator')],
    ['an empty plain object', {}, {}],
    ['lone surrogates, in keys too', { '\ud800': 'a\udc00b' }, { '\ufffd': 'a\ufffdb' }],
    ['a key that sets prototypes', JSON.parse('{"__proto__":{"x":1},"a":1}'), { a: 1 }],
    ['a hole in a list', Object.assign(Array.from({ length: 2 }), { 1: 'b' }), [null, 'b']],
  ];
  test.each(cases)('%s', (_, value, expected) => {
    expect(toWire(value)).toEqual(expected);
  });

  test('an error is its name, message, fields and cause, without a stack', () => {
    const error = Object.assign(new TypeError('no', { cause: new Error('why') }), { code: 'E_NO' });
    expect(toWire(error)).toEqual({ name: 'TypeError', message: 'no', cause: { name: 'Error', message: 'why' }, code: 'E_NO' });
    expect(toWire(new AggregateError([new Error('a')], 'all'))).toMatchObject({ errors: [{ message: 'a' }] });
  });

  test('a class instance is its own fields, or what toJSON says', () => {
    class Point {
      readonly x = 1;
      #hidden = 2;
      get sum(): number {
        return this.x + this.#hidden;
      }
    }
    expect(toWire(new Point())).toEqual({ x: 1 });
    expect(toWire({ toJSON: () => ({ day: new Date(0) }) })).toEqual({ day: '1970-01-01T00:00:00.000Z' });
    const endless: unknown = { name: 'e', toJSON: () => endless };
    expect(toWire(endless)).toEqual({ name: 'e', toJSON: named('function') });
  });

  test('what throws is named, and its neighbours are kept', () => {
    const value = {
      get bad(): never {
        throw new Error('no');
      },
      good: 1,
    };
    expect(toWire(value)).toEqual({ bad: named('getter that throws'), good: 1 });
    expect(
      toWire({
        toJSON: () => {
          throw new Error('no');
        },
      }),
    ).toEqual(named('object that throws'));
  });

  test('proxies: transparent ones are read, revoked and hostile ones are named', () => {
    const { proxy, revoke } = Proxy.revocable<object>({}, {});
    revoke();
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    expect(toWire([proxy, hostile, new Proxy({ a: 1 }, {})])).toEqual([
      named('object that throws'),
      named('object that throws'),
      { a: 1 },
    ]);
  });

  test('an object that only claims to be a map is read as fields', () => {
    expect(toWire({ [Symbol.toStringTag]: 'Map', a: 1 })).toEqual({ a: 1 });
    expect(
      toWire({
        get [Symbol.toStringTag]() {
          throw new Error('no');
        },
      }),
    ).toEqual(named('object that throws'));
  });

  test('circles are named where they close, and shared parts are written out', () => {
    const circle: Record<string, unknown> = { name: 'c' };
    circle['self'] = circle;
    const shared = { n: 1 };
    expect(toWire(circle)).toEqual({ name: 'c', self: named('circular') });
    expect(toWire([shared, shared])).toEqual([{ n: 1 }, { n: 1 }]);
  });
});

describe('toWire is bounded (X4)', () => {
  test('a million levels', () => {
    const wire = JSON.stringify(toWire(chain(1_000_000)));
    expect(wire).toContain('too deep');
    expect(wire.split('next').length - 1).toBe(maxWireDepth);
  });

  test('a list of 1.5 million items ends with a count of the rest', () => {
    const wire = toWire(Array.from({ length: 1_500_000 }, (_, index) => index)) as readonly JsonValue[];
    expect(wire.length).toBeLessThan(1_000_010);
    expect(wire.at(-1)).toEqual(named(`${1_500_000 - wire.length + 1} more items`));
  });

  test('parts shared over and over do not multiply without end', () => {
    let value: unknown = 'x';
    for (let level = 0; level < 60; level += 1) value = [value, value];
    expect(JSON.stringify(toWire(value)).length).toBeLessThan(200_000_000);
  });

  test('one huge text many times over', () => {
    const text = 'x'.repeat(5_000_000);
    expect(JSON.stringify(toWire(Array.from({ length: 200 }, () => text))).length).toBeLessThan(60_000_000);
  });
});

const weird: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withObjectString: true,
      withNullPrototype: true,
      withBoxedValues: true,
    }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom<unknown>(
      Symbol('s'),
      () => 1,
      new WeakSet(),
      new URL('a:b'),
      Object.create(null),
      globalThis.Math,
      new Error('e'),
      Promise.resolve(),
      new Proxy(() => 1, {}),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary', maxLength: 4 }), tie('value'), { maxKeys: 4 }),
    tie('value').map((inner) =>
      Object.defineProperty({ inner }, 'late', {
        enumerable: true,
        get: () => {
          throw new Error('late');
        },
      }),
    ),
    tie('value').map((inner) => {
      const list: unknown[] = [inner];
      list.push(list);
      return list;
    }),
    tie('value').map((inner) => new Map([[inner, inner]])),
    tie('value').map((inner) => (typeof inner === 'object' && inner !== null ? new Proxy(inner, {}) : inner)),
  ),
})).value;

test('property: toWire is total, its result survives JSON text unchanged, and is well-formed', () => {
  fc.assert(
    fc.property(weird, (value) => {
      const wire = toWire(value);
      const json = JSON.stringify(wire);
      expect(JSON.parse(json)).toStrictEqual(wire);
      JSON.parse(json, (key, inner: unknown) => {
        if (!key.isWellFormed() || (typeof inner === 'string' && !inner.isWellFormed()))
          throw new Error('a lone surrogate is left');
        return inner;
      });
    }),
    { numRuns: 1_000 },
  );
});

test('property: plain JSON is not changed', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
      fc.pre(!JSON.stringify(plain).includes('__proto__') && JSON.stringify(plain).isWellFormed());
      expect(toWire(plain)).toStrictEqual(plain);
    }),
  );
});
