import { expect, it } from 'vitest';
import { cutEnd } from '../../src/core/cut-end.ts';

it.each([
  ['abcdef', 3, 'abc'],
  ['abc', 3, 'abc'],
  ['abc', 9, 'abc'],
  ['ab😀cd', 2, 'ab'],
  ['ab😀cd', 3, 'ab'],
  ['ab😀cd', 4, 'ab😀'],
  ['', 2, ''],
])('cutEnd(%j, %i) is %j: no character is split', (text, max, expected) => {
  expect(cutEnd(text, max)).toBe(expected);
});
