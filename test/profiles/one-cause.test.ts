import { expect, it } from 'vitest';
import { compileText } from './marked-files.ts';

const messages = (text: string): readonly string[] =>
  compileText(text).diagnostics.map(({ message, hint, source }) => `${source.line}:${source.column} ${message} (${hint ?? ''})`);

it('F29: tabs give one error, at the first of them', () => {
  const text =
    'name: A\nlimits:\n\tmax_turns: 3\n\tmax_tokens: 5\nflow_decider:\n\t- id: a\n\t  action: { type: await_user_input }\n';
  expect(messages(text)).toEqual(['3:1 a tab cannot indent YAML (indent with spaces)']);
});

it('F29: a wrong indent gives one error, where it is', () => {
  const text =
    'name: A\nlimits:\n   max_turns: 3\n  max_tokens: 5\nflow_decider:\n  - id: a\n    action: { type: await_user_input }\n';
  const found = messages(text);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^4:1 .*same column/);
});

it('F29: a problem in a value before it is still reported', () => {
  const found = messages('name: A\ninstructions: !x\nlimits:\n\tmax_turns: 3\n');
  expect(found).toHaveLength(2);
  expect(found[0]).toMatch(/^2:15 `!x` is a YAML tag here/);
});

it('F29: an unknown key says which was meant, and a handful of those there are', () => {
  const [first = ''] = messages('name: A\ninstrutions: x\n');
  expect(first).toMatch(/did you mean `instructions`\? allowed: profile_id, name, type, base_profile, rev, … \(\d+ in all\)\)$/);
});

it('F29: an unknown toolset says all there are', () => {
  const toolsets = Array.from({ length: 26 }, (_, index) => `set_${index}`);
  const { diagnostics } = compileText('name: A\ntool_access_policy: { allowed_toolsets: [qqqqq] }\n', {
    toolsets: new Set(toolsets),
  });
  const hint = diagnostics.find(({ code }) => code === 'UNKNOWN_TOOLSET')?.hint ?? '';
  for (const name of toolsets) expect(hint.split(/[ ,]+/)).toContain(name);
});

it('F29: a line that is indented too far gives one error, which says so', () => {
  const found = messages('name: A\nlimits:\n  max_turns: 3\n   max_tokens: 5\n');
  expect(found).toEqual([
    '3:14 the value here is complete, and the next line is indented deeper, as if it belonged to it (keys of one map start at the same column)',
  ]);
});
