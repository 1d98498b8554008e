import { expect, it } from 'vitest';
import { effectOf } from '../../src/engine/runtime/due-work.ts';
import { decodeInput } from '../../src/engine/runtime/wire-input.ts';

it.each(['of_tomorrow', 'toString', 7, null, undefined])('what another version sent is left to its workers: kind %o', (kind) => {
  const sent = kind === undefined ? {} : { kind };
  const lacks = expect.objectContaining({ code: 'WORKER_LACKS', message: expect.stringContaining('does not know') });
  expect(() => effectOf({ key: 'run_1/a', effect: sent })).toThrow(lacks);
  expect(() => decodeInput(sent)).toThrow(lacks);
});

it('an effect and an input of this version are read', () => {
  expect(effectOf({ key: 'run_1/a', effect: { kind: 'title', cause: 3 } })).toEqual({ kind: 'title', cause: 3 });
  expect(decodeInput({ kind: 'cancel', reason: 'enough' })).toEqual({ kind: 'cancel', reason: 'enough' });
});
