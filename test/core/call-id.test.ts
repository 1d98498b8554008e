import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { wireIdOf } from '../../src/core/fold/reply-message.ts';

/** The ids that a history gets, one call after the other. */
function idsOf(given: readonly string[]): readonly (string | undefined)[] {
  const used = new Set<string>();
  return given.map((providerCallId) => {
    const id = wireIdOf({ providerCallId }, used);
    if (id !== undefined) used.add(id);
    return id;
  });
}

describe('the id a call has in history (F11)', () => {
  it('is new there, whatever providers repeat, and the first use of an id is kept', () => {
    const id = fc.oneof(
      fc.constantFrom('call_0', 'call_1', 'functions.f:0', 'functions.f:1', 'f:7', 'toolu_01'),
      fc.string({ unit: 'binary' }),
      fc.nat(9).map((number) => `functions.f:${number}`),
    );
    fc.assert(
      fc.property(fc.array(id, { maxLength: 40 }), (given) => {
        const ids = idsOf(given).filter((one) => one !== undefined);
        expect(new Set(ids).size).toBe(ids.length);
        for (const one of ids) expect(one).toMatch(/^[\x21-\x7e]+$/);
        const [first] = given;
        if (first?.startsWith('functions.') === true) expect(ids[0]).toBe(first);
      }),
    );
  });

  it('is the next of its form for ids that count, and the engine’s for other repeated ones', () => {
    expect(idsOf(['functions.f:0', 'functions.g:1', 'functions.f:0', 'functions.g:1', 'call_1', 'call_1'])).toEqual([
      'functions.f:0',
      'functions.g:1',
      'functions.f:2',
      'functions.g:3',
      'call_1',
      undefined,
    ]);
  });

  it('is never one that only looks like the engine’s, nor one that the engine’s side made up', () => {
    expect(idsOf(['c00000001', '', ' ', 'a\u0000b', 'é'])).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(wireIdOf({ providerCallId: 'call_1', isIdOurs: true }, new Set())).toBeUndefined();
  });
});
