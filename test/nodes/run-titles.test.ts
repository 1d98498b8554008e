import { expect, it } from 'vitest';
import { titleOf } from '../../src/nodes/turn/run-titles.ts';

it('a long first line is cut to a title of 80 characters, and no emoji in half', () => {
  const letters = 'a'.repeat(78);
  expect(titleOf({ prompt: `${letters}bcd` })).toBe(`${letters}b…`);
  expect(titleOf({ prompt: `${letters}😀😀` })).toBe(`${letters}…`);
  expect(titleOf({ prompt: `${letters}😀` })).toBe(`${letters}😀`);
});
