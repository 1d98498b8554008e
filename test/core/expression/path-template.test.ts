import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathTemplate } from '../../../src/core/expression/path-template.ts';
import { readPath } from '../../../src/core/expression/read-path.ts';

const scope = {
  state: { messages: [{ content: 'a' }, { content: 'b' }], team: 'hidden', 'a.b': { c: 'longest' }, a: { b: { c: 'nested' } } },
  team: { work_modules: { WM_1: { name: 'One', list: [1, 2, 3] }, WM_2: { name: 'Two' } }, WM_1: 'direct' },
};

describe('pathTemplate', () => {
  test.each([
    ['team.work_modules.{{id}}.name', { id: 'WM_1' }, 'One'],
    ['team.work_modules.{{ id }}', { id: 'WM_2' }, { name: 'Two' }],
    ['team.work_modules.WM_{{n}}.name', { n: 2 }, 'Two'],
    ['team.work_modules.{{id}}.list[{{n}}]', { id: 'WM_1', n: -1 }, 3],
    ['{{root}}.{{id}}', { root: 'team', id: 'WM_1' }, 'direct'],
    ['{{a}}.{{a.b}}.c', { a: 'a', 'a.b': 'b' }, 'longest'],
    ['messages.{{n}}.content', { n: 1 }, 'b'],
    ['state.{{name}}', { name: 'team' }, 'hidden'],
    ['team.work_modules', {}, scope.team.work_modules],
    ['', {}, null],
    ['team.work_modules.{{ prefix }}2.name', { prefix: 'WM_' }, 'Two'],
    ['team.work_modules.{{ a }}.{{ b }}1{{ c }}', { a: 'WM_1', b: 'na', c: 'me' }, null],
  ])('%s', (template, variables, expected) => {
    expect(pathTemplate(template)(scope, variables)).toEqual(expected);
  });

  test.each([['WM_1.name'], ['WM_1[0]'], [''], [null], [{ id: 'WM_1' }], [true]])(
    'a value that is no name reads nothing: %j',
    (id) => {
      for (const template of ['team.work_modules.{{id}}', 'team.work_modules.x{{id}}', 'team.work_modules[{{id}}]'])
        expect(pathTemplate(template)(scope, { id })).toBeNull();
      expect(pathTemplate('team.work_modules.{{id}}')(scope, {})).toBeNull();
      expect(pathTemplate('team.work_modules.{{toString}}')(scope, {})).toBeNull();
    },
  );

  test('reads what the path with the values in it reads, whatever the template', () => {
    const name = fc.constantFrom(
      'state',
      'team',
      'a',
      'b',
      'c',
      'messages',
      'content',
      'work_modules',
      'WM_1',
      '__proto__',
      '0',
      '\0',
      '\u00001',
    );
    const part = fc.oneof(
      name,
      fc.constantFrom('.', '.', '.', '{{a}}', '{{ b }}', '{{a.b}}', '0', '1', '2', '[0]', '[', ']', '[{{n}}]', '{{', '}}', ' '),
    );
    const template = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const variables = fc.record({ a: name, b: name, 'a.b': name, n: fc.integer({ min: -2, max: 3 }) });
    fc.assert(
      fc.property(template, variables, (text, values) => {
        const filled = text.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (_, key: string) => String(values[key as keyof typeof values]));
        expect(pathTemplate(text)(scope, values)).toEqual(readPath(scope, filled));
      }),
      { numRuns: 5_000 },
    );
  });

  test('a variable is a whole name or a part of one, beside other variables and digits', () => {
    const names = ['a', 'b', 'a1', 'a2', 'b1', 'b2'];
    const tree = (depth: number, at: string): unknown =>
      depth === 0 ? at : Object.fromEntries(names.map((name) => [name, tree(depth - 1, `${at}.${name}`)]));
    const deep = { state: tree(4, 'state'), team: tree(4, 'team') };
    const segment = fc.constantFrom(...names, '{{x}}', '{{y}}', '{{x}}1', '{{y}}2', '{{z}}{{n}}', 'a{{n}}');
    const template = fc
      .tuple(fc.constantFrom('state', 'team'), fc.array(segment, { minLength: 4, maxLength: 4 }))
      .map(([root, segments]) => [root, ...segments].join('.'));
    const name = fc.constantFrom('a', 'b');
    const variables = fc.record({ x: name, y: name, z: name, n: fc.constantFrom(1, 2) });
    fc.assert(
      fc.property(template, variables, (text, values) => {
        const filled = text.replace(/\{\{(\w)\}\}/g, (_, key: string) => String(values[key as keyof typeof values]));
        expect(pathTemplate(text)(deep, values)).toBe(filled);
      }),
      { numRuns: 2_000 },
    );
  });
});
