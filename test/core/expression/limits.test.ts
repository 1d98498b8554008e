import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, test, vi } from 'vitest';
import { agentRoots } from '../../../src/core/expression/agent-roots.ts';
import { compileExpression } from '../../../src/core/expression/expression.ts';
import { MAX_SOURCE } from '../../../src/core/expression/limits.ts';
import { compileTemplate } from '../../../src/core/expression/template.ts';

function fails(source: string): string {
  const compiled = compileExpression(source, agentRoots);
  return compiled.ok ? '' : (compiled.problems[0]?.message ?? '');
}

/** Of the processor, not of the clock on the wall: what else the machine does is no matter. */
function milliseconds(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

const flags = {
  big: Array.from({ length: 5000 }, (_, index) => ({ id: index, text: `item ${index}` })),
  text: 'a'.repeat(1_000_000),
  same: 'aa'.repeat(500_000),
  x: 'x'.repeat(100_000),
};

describe('Y9: the source is bounded before it is parsed', () => {
  test.each([
    ['a megabyte', `flags.${'a'.repeat(1_000_000)}`, 'characters long'],
    ['10,000 parentheses', '('.repeat(10_000), 'characters long'],
    ['33 parentheses', `${'('.repeat(33)}1${')'.repeat(33)}`, 'nested deeper'],
    ['33 brackets', `${'['.repeat(33)}1${']'.repeat(33)}`, 'nested deeper'],
    ['33 times not', `${'!'.repeat(33)}flags`, 'nested deeper'],
    ['33 spaced minus signs', `${'- '.repeat(33)}1`, 'nested deeper'],
    ['33 conditionals', `${'flags.a ? 1 : '.repeat(33)}2`, 'nested deeper'],
    ['more than 1000 nodes', `1${'+1'.repeat(900)}`, 'too large'],
    ['a list of 300 items', `[${'1,'.repeat(300)}]`, 'too large'],
    ['a chain of 200 fields', `flags${'.a'.repeat(200)}`, 'too large'],
  ])('%s', (_, source, message) => {
    const parse = vi.spyOn(Environment.prototype, 'parse');
    const matches = vi.spyOn(RegExp.prototype, 'exec');
    let found = '';
    let work = { parsed: 0, matched: 0 };
    try {
      found = fails(source);
      work = { parsed: parse.mock.calls.length, matched: matches.mock.calls.length };
    } finally {
      vi.restoreAllMocks();
    }
    expect(found).toContain(message);
    // Too long a source is not scanned; too deep a one is scanned, a few matches per character at most, and not parsed.
    expect(work.matched).toBeLessThanOrEqual(message === 'characters long' ? 0 : 4 * source.length);
    expect(work.parsed).toBe(message === 'too large' ? 1 : 0);
    if (work.parsed === 1) expect(source.length).toBeLessThanOrEqual(MAX_SOURCE);
  });

  test('32 levels and brackets inside texts are fine', () => {
    expect(fails(`${'('.repeat(32)}1${')'.repeat(32)}`)).toBe('');
    expect(fails(`${'!'.repeat(32)}flags`)).toBe('');
    expect(fails(`'${'('.repeat(500)}' == ""`)).toBe('');
    expect(fails(`1${'+1'.repeat(450)}`)).toBe('');
  });
});

describe('Y9: an evaluation is bounded in time and size', () => {
  test.each([
    'range(10000).map(x, range(10000).map(y, x * y))',
    'range(1000).map(a, range(1000).map(b, range(1000).map(c, a)))',
    'range(10001)',
    'flags.big.exists(a, flags.big.exists(b, a == b && a.id == -1))',
    'flags.big.all(a, !contains(flags.big, {"id": a.id, "text": "x"}))',
    'range(10000).map(x, json(flags.big))',
    'range(10000).map(x, flags.text + "b")',
    'range(10000).all(x, flags.text == flags.same)',
    'replace(flags.text, "a", flags.text)',
    'replace(replace(flags.x, "x", "yyyyyyyyyy"), "y", "zzzzzzzzzz")',
    'join(range(10000).map(x, flags.x), flags.x)',
    `json([1]${'.map(x, [x, x])'.repeat(60)}.map(x, [x, x]))`,
    `flatten(range(10000)${'.map(x, [x, x, x])'.repeat(20)})`,
    'range(10000).map(x, flags.text.matches("(a|b|[ac])*[bd]$" + string(x)))',
    'flags.text.matches("(x+x+)+[ab]?" + flags.x)',
    'range(10000).map(x, v[flags.text])',
    'range(10000).map(x, words(flags.text))',
    'range(10000).map(x, split(flags.text, ""))',
    'range(10000).map(x, contains(flags.text, slice(flags.text, 1, -2) + "b"))',
    'range(10000).exists(x, range(10000).exists(y, 1 > null || false)) || true',
    '(range(10000).map(x, range(10000)) == 1) || true',
    'range(10000).map(x, sort(range(10000)))',
    'range(10000).map(x, unique(flags.big))',
    '1e308 * 10.0',
    `range(10000).exists(x, size(string([1]${'.map(x, [x, x])'.repeat(40)})) == x)`,
    'range(10000).exists(x, flags.text.matches("(" + string(x)))',
    '1 % 0',
  ])('%s fails instead of running on', (source) => {
    const compiled = compileExpression(source, agentRoots);
    if (!compiled.ok) return;
    const { value } = compiled;
    expect(milliseconds(() => expect(() => value.evaluate({ flags })).toThrow())).toBeLessThan(1500);
  });

  test('results that share parts or contain themselves do not explode', () => {
    const doubled = compileExpression(`[1]${'.map(x, [x, x])'.repeat(60)}`, agentRoots);
    expect(milliseconds(() => doubled.ok && doubled.value.evaluate({}))).toBeLessThan(200);
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const read = compileExpression('flags', agentRoots);
    expect(() => read.ok && read.value.evaluate({ flags: cyclic })).toThrow('contains itself');
    expect(() => {
      const template = compileTemplate(`{{ [1]${'.map(x, [x, x])'.repeat(60)} }}`);
      return template.ok && template.value.render({});
    }).toThrow('characters');
  });

  test('work of a usual size is no problem', () => {
    const compiled = compileExpression(
      "size(flags.big.filter(x, x.text.endsWith('7'))) > 10 && !flags.x.matches('DONE|FINISHED')",
      agentRoots,
    );
    expect(compiled.ok && compiled.value.test({ flags })).toBe(true);
  });
});
