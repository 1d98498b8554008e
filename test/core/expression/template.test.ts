import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { agentRoots } from '../../../src/core/expression/agent-roots.ts';
import { compileTemplate, type Template } from '../../../src/core/expression/template.ts';

function compile(source: string): Template {
  const compiled = compileTemplate(source, agentRoots);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value;
}

/** Counts the positions examined in a template that does not compile. */
function charactersLookedAt(source: string): number {
  const looked = vi.spyOn(String.prototype, 'startsWith');
  try {
    expect(compileTemplate(source).ok).toBe(false);
    return looked.mock.calls.length;
  } finally {
    looked.mockRestore();
  }
}

const scope = { flags: { n: 3, text: 'x', list: [1, 'a'], map: { b: 1, a: null }, yes: true }, state: {} };

describe('a template', () => {
  test.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['n is {{ flags.n }}.', 'n is 3.'],
    ['{{flags.text}}{{flags.yes}}', 'xtrue'],
    ['{{ flags.missing }}|{{ null }}', '|'],
    ['{{ flags.list }} {{ flags.map }}', '[1,"a"] {"b":1,"a":null}'],
    ["{{ '}}' }} {{ {'a': {'b': 1}} }}{{{'a': 1}}}", '}} {"a":{"b":1}}{"a":1}'],
    ['\\{{ flags.n }} and {{ flags.n }}', '{{ flags.n }} and 3'],
    ["{{ '{{' }}", '{{'],
    ['a }} b { c } \\ d', 'a }} b { c } \\ d'],
    ['{{ flags.n >\n 2 ? "ok" : "no" }}', 'ok'],
  ])('%j renders %j', (source, expected) => {
    expect(compile(source).render(scope)).toBe(expected);
  });

  test('keeps the type of a value that is exactly one expression', () => {
    expect(compile('{{ flags.list }}').value(scope)).toEqual([1, 'a']);
    expect(compile('{{ flags.missing }}').value(scope)).toBeNull();
    expect(compile('{{ flags.n }}').value(scope)).toBe(3);
    expect(compile(' {{ flags.n }}').value(scope)).toBe(' 3');
    expect(compile('{{ flags.n }}{{ flags.n }}').value(scope)).toBe('33');
    expect(compile('text').value(scope)).toBe('text');
  });

  test('knows whether it is constant and what it reads', () => {
    expect(compile('\\{{ text').constant).toBe(true);
    expect(compile('{{ flags.n }} {{ flags.n + flags.m }}')).toMatchObject({ constant: false, paths: ['flags.n', 'flags.m'] });
  });

  test.each([
    ['a {{ flag.n }}', 'flag'],
    ['é🌍 {{ flags.n }} {{ state.mesages }}', 'mesages'],
    ['a {{ flags.n', '{{'],
    ["a {{ 'x }}", "'x "],
    ['a {{ }} b', ' '],
    ['x {{ {{ flags.n }} }}', '}'],
  ])('%j has a problem at %j', (source, at) => {
    const compiled = compileTemplate(source, agentRoots);
    expect(compiled.ok).toBe(false);
    if (compiled.ok) return;
    expect(compiled.problems.map(({ start, end }) => source.slice(start, end))).toContain(at);
  });

  test('reports every problem of the text at its own place', () => {
    const source = '{{ flag.n }} {{ foo() }} {{ open';
    const compiled = compileTemplate(source, agentRoots);
    expect(compiled.ok ? [] : compiled.problems.map(({ start }) => start)).toEqual([3, 16, 25]);
  });

  test('without braces renders itself', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('{{')),
        (text) => void expect(compile(text).render({})).toBe(text),
      ),
    );
  });

  test('renders any text around an expression unchanged', () => {
    const text = fc.string().filter((value) => !value.includes('{') && !value.includes('}') && !value.endsWith('\\'));
    fc.assert(
      fc.property(
        text,
        text,
        (before, after) => void expect(compile(`${before}{{ flags.n }}${after}`).render(scope)).toBe(`${before}3${after}`),
      ),
    );
  });

  test('splits a large text with many open quotes in linear time', () => {
    const short = charactersLookedAt("{{ ' ".repeat(10_000));
    const long = charactersLookedAt("{{ ' ".repeat(20_000));
    expect(short).toBeGreaterThan(0);
    expect(long).toBeLessThan(2.1 * short);
  });
});
