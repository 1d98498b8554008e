import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileText, itReports } from './marked-files.ts';

const condition = (scalar: string): string =>
  `name: A\npost_turn_observers:\n  - id: o\n    condition: ${scalar}\n    action: { type: call, observer: watch_budget }\n`;

describe('a problem in a condition points to its exact column in the file', () => {
  itReports([
    { title: 'plain', text: condition('flags.a && ‸flgs.b'), code: 'BAD_EXPRESSION', says: 'flags' },
    { title: 'plain over two lines', text: condition('flags.a &&\n      ‸flgs.b'), code: 'BAD_EXPRESSION', says: 'flags' },
    {
      title: 'plain over lines with a blank one',
      text: condition('flags.a &&\n\n      ‸flgs.b'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    { title: 'plain with comment behind', text: condition('‸flgs.b # why'), code: 'BAD_EXPRESSION', says: 'flags' },
    { title: 'single quotes', text: condition("'flags.a && ‸flgs.b'"), code: 'BAD_EXPRESSION', says: 'flags' },
    {
      title: 'single quotes with a quote inside',
      text: condition("'flags.a == ''it is'' && ‸flgs.b'"),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'single quotes over two lines',
      text: condition("'flags.a &&\n      ‸flgs.b'"),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    { title: 'double quotes', text: condition('"flags.a && ‸flgs.b"'), code: 'BAD_EXPRESSION', says: 'flags' },
    {
      title: 'double quotes with escapes',
      text: condition(String.raw`"flags.a == \"\u00e9\x41\U0001F600\" && ‸flgs.b"`),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'double quotes over two lines',
      text: condition('"flags.a &&\n      ‸flgs.b"'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'double quotes with a joined line',
      text: condition('"flags.a && \\\n      ‸flgs.b"'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    { title: 'a literal block', text: condition('|\n      flags.a &&\n        ‸flgs.b\n'), code: 'BAD_EXPRESSION', says: 'flags' },
    {
      title: 'a literal block with blank lines',
      text: condition('|-\n\n      flags.a &&\n\n      ‸flgs.b'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'a literal block with indentation indicator',
      text: condition('|2-\n        flags.a &&\n      ‸flgs.b'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'a literal block with a comment in its header',
      text: condition('|- # two lines\n      flags.a &&\n      ‸flgs.b'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    { title: 'a folded block', text: condition('>-\n      flags.a\n      && ‸flgs.b'), code: 'BAD_EXPRESSION', says: 'flags' },
    {
      title: 'a folded block with a blank line',
      text: condition('>-\n      flags.a\n\n      && ‸flgs.b'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'a folded block with two blank lines',
      text: condition('>-\n      flags.a\n\n\n      && ‸flgs.b'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'a folded block with an indented line',
      text: condition('>-\n      flags.a\n        && flags.c\n      && ‸flgs.b'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'a block that begins with an indented line',
      text: condition('>-\n      flags.a &&\n      ‸flgs.b\n      || flags.c'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    { title: 'an anchor in front', text: condition('&c flags.a && ‸flgs.b'), code: 'BAD_EXPRESSION', says: 'flags' },
    { title: 'a tag in front', text: condition('!!str ‸flgs.b'), code: 'BAD_EXPRESSION', says: 'flags' },
    {
      title: 'in flow style',
      text: 'name: A\npost_turn_observers: [{ id: o, condition: "flags.x ‸= 1", action: { type: call, observer: watch_budget } }]\n',
      code: 'BAD_EXPRESSION',
      says: '`==`',
    },
    {
      title: 'characters outside the basic plane before it',
      text: condition('"flags.a == \'😀\' && ‸flgs.b"'),
      code: 'BAD_EXPRESSION',
      says: 'flags',
    },
    {
      title: 'a template in a literal text',
      text: 'name: A\ninstructions: |\n  Dear reader,\n\n  it is {{ ‸rn.now }}.\n',
      code: 'BAD_TEMPLATE',
      says: 'run',
    },
    {
      title: 'a template in a folded text',
      text: 'name: A\ninstructions: >\n  Dear reader,\n  it is\n  {{ ‸rn.now }}.\n',
      code: 'BAD_TEMPLATE',
      says: 'run',
    },
    {
      title: 'a template that is never closed',
      text: "name: A\ninstructions: 'Hi ‸{{ run.now'\n",
      code: 'BAD_TEMPLATE',
      says: 'never closed',
    },
    {
      title: 'the second template of a text',
      text: "name: A\ninstructions: '{{ run.now }} {{ ‸rn.now }}'\n",
      code: 'BAD_TEMPLATE',
      says: 'run',
    },
    {
      title: 'a text definition',
      text: 'name: A\ntext_definitions:\n  a: fine\n  b: not {{ ‸fine }}\n',
      code: 'BAD_TEMPLATE',
      says: 'fine',
    },
    {
      title: 'an alias points to its anchor',
      text: 'name: A\ntext_definitions:\n  a: &a not {{ ‸fine }}\n  b: *a\n',
      code: 'BAD_TEMPLATE',
      says: 'fine',
    },
    { title: 'words of Python', text: condition('flags.a ‸and flags.b'), code: 'BAD_EXPRESSION', says: 'write `&&`' },
    { title: 'an assignment', text: condition('flags.a ‸= 1'), code: 'BAD_EXPRESSION', says: 'write `==`' },
    { title: 'a function of Python', text: condition("‸str(flags.a) == ''"), code: 'BAD_EXPRESSION', says: 'string(x)' },
    { title: 'an unknown function', text: condition('‸sze(flags.a) > 0'), code: 'BAD_EXPRESSION', says: 'size' },
    {
      title: 'an unknown counter',
      text: condition('counters.‸no_tool_streak > 2'),
      code: 'BAD_EXPRESSION',
      says: 'no_tool_call_streak',
    },
    {
      title: 'an unknown path in v[…]',
      text: condition('"v[\'‸stat.current_action\'] == null"'),
      code: 'BAD_EXPRESSION',
      says: 'stat',
    },
    {
      title: 'a condition of 3000 characters',
      text: condition(`"${' '.repeat(2000)}${'a'.repeat(48)}‸${'a'.repeat(50)}"`),
      code: 'BAD_EXPRESSION',
      says: '2048 are allowed',
    },
    { title: 'a blank condition', text: condition("‸' '"), code: 'NOT_ALLOWED', says: 'not blank' },
    { title: 'a condition that is a number', text: condition('‸1'), code: 'WRONG_TYPE', says: "quote it: '1'" },
    { title: 'a condition that is a list', text: condition('‸[a]'), code: 'WRONG_TYPE', says: 'text or true or false' },
  ]);

  const styles: Readonly<Record<string, (lines: readonly string[]) => string>> = {
    plain: (lines) => lines.join('\n      '),
    single: (lines) => `'${lines.map((line) => line.replaceAll("'", "''")).join('\n      ')}'`,
    double: (lines) => `"${lines.map((line) => line.replaceAll('"', '\\"')).join('\n      ')}"`,
    literal: (lines) => `|-\n      ${lines.join('\n      ')}`,
    folded: (lines) => `>-\n      ${lines.join('\n      ')}`,
  };

  it('in every style, wherever the lines break', () => {
    const term = fc.constantFrom("flags.a == 'x'", 'flags.b', "size(flags.c) > 1 || flags.d == 'do not'", "state.status == 'e é'");
    const line = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => `${terms.join(' && ')} &&`);
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(styles)),
        fc.array(line, { maxLength: 4 }),
        fc.boolean(),
        (style, before, blank) => {
          const lines = [...before, ...(blank && before.length > 0 ? [''] : []), 'nonsense.x'];
          const text = condition(styles[style]?.(lines) ?? '').replace(/\n {6}\n/g, '\n\n');
          const at = text.indexOf('nonsense');
          const row = text.slice(0, at).split('\n').length;
          const { diagnostics } = compileText(text);
          expect(diagnostics.map(({ source }) => [source.line, source.column])).toEqual([[row, at - text.lastIndexOf('\n', at)]]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
