import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CadreError, describeThrown, toErrorRecord } from '../../src/core/error.ts';

describe('errors as data', () => {
  it('X1: whatever is thrown is described: always a text, never too long, never another error', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withObjectString: true,
          withSparseArray: true,
        }),
        (thrown) => {
          const text = describeThrown(thrown);
          expect(typeof text).toBe('string');
          expect(text.length).toBeLessThan(2_100);
          expect(toErrorRecord(thrown, 'TOOL_FAILED')).toEqual({ code: 'TOOL_FAILED', message: text });
        },
      ),
    );
  });

  it('even a value that fights back', () => {
    const refuse = (): never => {
      throw new Error('no');
    };
    const hostile = new Proxy({}, { get: refuse, getPrototypeOf: refuse, has: refuse, ownKeys: refuse });
    expect(toErrorRecord(hostile, 'TOOL_FAILED')).toMatchObject({ code: 'TOOL_FAILED' });
    expect(toErrorRecord(Object.assign(new Error('x'), { message: Symbol('s') }), 'TOOL_FAILED')).toMatchObject({
      code: 'TOOL_FAILED',
    });
    expect(toErrorRecord({ toString: refuse }, 'TOOL_FAILED')).toMatchObject({ code: 'TOOL_FAILED' });
  });

  it('ours keep their code, others get the one that is named', () => {
    expect(toErrorRecord(new CadreError('TOOL_DENIED', 'not you'), 'INTERNAL')).toEqual({
      code: 'TOOL_DENIED',
      message: 'not you',
    });
    expect(toErrorRecord(new TypeError('odd'), 'INTERNAL')).toEqual({ code: 'INTERNAL', message: 'TypeError: odd' });
    expect(describeThrown(new Error('x'.repeat(5_000)))).toContain('(5000 characters)');
  });
});
