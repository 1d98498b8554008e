import { expect, it } from 'vitest';
import { cleanText } from '../../../src/toolsets/mcp/clean-text.ts';

it('a long text of a server is cut, and no emoji in half', () => {
  expect(cleanText('abc😀😀', 4)).toBe('abc… (7 characters)');
  expect(cleanText('abc😀😀', 5)).toBe('abc😀… (7 characters)');
  expect(cleanText('abc😀', 5)).toBe('abc😀');
});
