import { expect, it } from 'vitest';
import { checkSchema } from '../../src/tools/schema/check-arguments.ts';
import { durationOf, durationSetting } from '../../src/toolsets/settings.ts';

it.each([
  [2, 2_000],
  ['500ms', 500],
  ['1.5s', 1_500],
  ['10m', 600_000],
  ['1h', 3_600_000],
  [undefined, 7],
  [null, 7],
])('a duration of %j is %d ms', (value, ms) => {
  expect(durationOf(value === undefined ? {} : { wait: value }, 'wait', 7)).toBe(ms);
});

it('what is no duration is refused', () => {
  expect(() => durationOf({ wait: 'soon' }, 'wait', 7)).toThrow('the setting wait must be seconds');
});

it.each([
  [1, true],
  ['30s', true],
  [0, false],
  ['soon', false],
])('the schema of a duration takes %j: %j', (value, isFine) => {
  const schema = { type: 'object', properties: { wait: durationSetting('How long.') } };
  expect(checkSchema(schema, { wait: value }).ok).toBe(isFine);
});
