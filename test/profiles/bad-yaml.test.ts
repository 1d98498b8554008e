import { describe, expect, it } from 'vitest';
import { compileText, itReports } from './marked-files.ts';

const deep = (levels: number): string => Array.from({ length: levels }, (_, level) => `${'  '.repeat(level)}k:`).join('\n');

describe('YAML that profiles do not allow (FAULTS Y1-Y6)', () => {
  itReports([
    { title: 'an empty file', text: '‸', code: 'FILE_EMPTY', says: 'the file is empty' },
    { title: 'a file of comments', text: '‸# nothing here\n', code: 'FILE_EMPTY', says: 'empty' },
    { title: 'a list at the root', text: '‸- name: A\n', code: 'NOT_A_MAP', says: 'must be a map' },
    { title: 'a text at the root', text: '‸just words\n', code: 'NOT_A_MAP', says: '`name:`' },
    { title: 'a NUL character', text: 'name: A\ninstructions: a‸\0b\n', code: 'FILE_HAS_NUL', says: 'NUL' },
    { title: 'a tab as indentation', text: 'name: A\nlimits:\n‸\tmax_turns: 3\n', code: 'YAML_TAB', says: 'indent with spaces' },
    { title: 'two documents', text: 'name: A\n‸---\nname: B\n', code: 'YAML_MULTIPLE_DOCUMENTS', says: 'its own file' },
    {
      title: 'a second document after a document start',
      text: '---\nname: A\n‸---\nname: B\n',
      code: 'YAML_MULTIPLE_DOCUMENTS',
      says: 'one document',
    },
    {
      title: 'a duplicate key',
      text: 'name: A\ninstructions: a\n‸instructions: b\n',
      code: 'YAML_DUPLICATE_KEY',
      says: ['`instructions`', 'already on line 2'],
    },
    {
      title: 'a duplicate key in a nested map',
      text: 'name: A\nlimits: { max_turns: 1, ‸max_turns: 2 }\n',
      code: 'YAML_DUPLICATE_KEY',
      says: '`max_turns`',
    },
    { title: 'a __proto__ key', text: 'name: A\n‸__proto__: { x: 1 }\n', code: 'FORBIDDEN_KEY', says: '`__proto__`' },
    {
      title: 'a constructor key deep in free data',
      text: 'name: A\ncontext_policy: { rendering: { ‸constructor: 1 } }\n',
      code: 'FORBIDDEN_KEY',
      says: '`constructor`',
    },
    {
      title: 'a prototype key in a list',
      text: 'name: A\ntests: [{ ‸prototype: 1 }]\n',
      code: 'FORBIDDEN_KEY',
      says: 'not allowed anywhere',
    },
    {
      title: 'a quoted __proto__ key',
      text: 'name: A\ntext_definitions:\n  ‸"__proto__": x\n',
      code: 'FORBIDDEN_KEY',
      says: '`__proto__`',
    },
    { title: 'a merge key', text: 'name: A\nlimits:\n  ‸<<: { max_turns: 1 }\n', code: 'YAML_KEY', says: 'base_profile' },
    { title: 'a list as key', text: 'name: A\n? ‸[a]\n: b\n', code: 'YAML_KEY', says: 'a key must be a text' },
    {
      title: 'an unquoted !condition',
      text: 'name: A\npost_turn_observers:\n  - id: o\n    condition: ‸!flags.done\n    action: { type: call, observer: watch_budget }\n',
      code: 'YAML_TAG',
      says: ["must be quoted: '!flags.done'", '`!flags.done`'],
    },
    {
      title: 'an unquoted !condition with more behind it',
      text: 'name: A\ninstructions: ‸!x == 1\n',
      code: 'YAML_TAG',
      says: "'!x == 1'",
    },
    { title: 'binary data', text: 'name: A\ninstructions: !!binary ‸aGVsbG8=\n', code: 'YAML_TAG', says: '!!binary' },
    { title: 'a set', text: 'name: A\nlimits: !!set ‸{ a }\n', code: 'YAML_TAG', says: '!!set' },
    { title: 'an alias without anchor', text: 'name: A\ninstructions: ‸*gone\n', code: 'YAML_ALIAS', says: 'no anchor &gone' },
    {
      title: 'an alias inside its own anchor',
      text: 'name: A\ntests: &t\n  - a: ‸*t\n',
      code: 'YAML_ALIAS',
      says: 'inside its own anchor',
    },
    {
      title: 'an unquoted template',
      text: 'name: A\ninstructions: ‸{{ run.title }}\n',
      code: 'YAML_SYNTAX',
      says: ['is a YAML map', 'quote the whole text'],
    },
    {
      title: 'an unquoted template with more text',
      text: 'name: A\ninstructions: {{ run.title }} ‸and more\n',
      code: 'YAML_SYNTAX',
      says: ['is a YAML map', "'{{ run.title }} and more'"],
    },
    {
      title: 'an unquoted conditional',
      text: 'name: A\ninstructions: ‸a ? b : c\n',
      code: 'YAML_SYNTAX',
      says: ['`a ? b : c`', 'quote the whole text'],
    },
    {
      title: 'an unquoted text with a colon',
      text: 'name: A\ninstructions: ‸Note: be kind\n',
      code: 'YAML_SYNTAX',
      says: 'quote the whole text',
    },
    {
      title: 'a text that starts with @',
      text: 'name: A\ninstructions: ‸@you\n',
      code: 'YAML_SYNTAX',
      says: 'cannot start with @',
    },
    {
      title: 'a text that starts with a backtick',
      text: 'name: A\ninstructions: ‸`code` is good\n',
      code: 'YAML_SYNTAX',
      says: 'cannot start with `',
    },
    { title: 'a text that starts with %', text: 'name: A\ninstructions: ‸%d\n', code: 'YAML_SYNTAX', says: 'cannot start with %' },
    {
      title: 'text after a quoted text',
      text: "name: A\ninstructions: 'a' ‸== flags.x\n",
      code: 'YAML_SYNTAX',
      says: 'the value ends before this',
    },
    {
      title: 'text after a list',
      text: 'name: A\ninstructions: [a] ‸is a list\n',
      code: 'YAML_SYNTAX',
      says: 'the value ends before this',
    },
    {
      title: 'a quote that is never closed',
      text: "name: A\ninstructions: 'a\n‸",
      code: 'YAML_SYNTAX',
      says: "missing closing 'quote",
    },
    { title: 'a list that is never closed', text: 'name: A\ntests: [a\n‸', code: 'YAML_SYNTAX', says: 'flow sequence' },
    {
      title: 'an unknown escape',
      text: 'name: A\ninstructions: "a ‸\\d b"\n',
      code: 'YAML_SYNTAX',
      says: ['\\d is not an escape', 'single quotes'],
    },
    { title: 'a lone surrogate', text: 'name: A\ninstructions: ‸"\\ud800"\n', code: 'FILE_NOT_UTF8', says: 'surrogate' },
    {
      title: 'a number that loses digits',
      text: 'name: A\nlimits: { max_tokens: ‸12345678901234567890 }\n',
      code: 'NUMBER_INEXACT',
      says: "quote it: '12345678901234567890'",
    },
    { title: 'a number that is none', text: 'name: A\nlimits: { max_cost_usd: ‸.nan }\n', code: 'NUMBER_INEXACT', says: '.nan' },
    { title: 'infinity', text: 'name: A\nlimits: { max_cost_usd: ‸.inf }\n', code: 'NUMBER_INEXACT', says: '.inf' },
    { title: 'a YAML 1.1 directive', text: '‸%YAML 1.1\n---\nname: A\n', code: 'YAML_DIRECTIVE', says: '1.2' },
    {
      title: 'nesting 200 levels deep',
      text: `name: A\n${deep(63)}\n${'  '.repeat(63)}‸k:\n${'  '.repeat(64)}k: 1\n`,
      code: 'YAML_DEPTH',
      says: '64 levels',
    },
  ]);

  it('accepts a byte order mark, and counts columns without it', () => {
    const { diagnostics } = compileText('\uFEFFname: A\ninstrctions: x\n');
    expect(diagnostics.map(({ source }) => [source.line, source.column])).toEqual([[2, 1]]);
    expect(compileText('\uFEFFname: A\n').set).toBeDefined();
  });

  it('accepts Windows line ends', () => {
    const { diagnostics } = compileText('name: A\r\ninstrctions: x\r\n');
    expect(diagnostics.map(({ source }) => [source.line, source.column])).toEqual([[2, 1]]);
  });

  it('accepts a few aliases', () => {
    expect(
      compileText('name: A\ntext_definitions: &t { a: b }\ndeliverables_schema: { x: *t, y: *t }\n').set?.profiles.get('A')
        ?.resolved['deliverables_schema'],
    ).toEqual({ x: { a: 'b' }, y: { a: 'b' } });
  });

  it('reports several syntax errors of one file, and those of other files', () => {
    const { diagnostics } = compileText({ 'a.yaml': 'name: A\ninstructions: @x\nllm_config_ref: `y`\n', 'b.yaml': 'nam: B\n' });
    expect(diagnostics.map(({ source, code }) => `${source.file}:${source.line} ${code}`)).toEqual([
      'a.yaml:2 YAML_SYNTAX',
      'a.yaml:3 YAML_SYNTAX',
      'b.yaml:1 MISSING_KEY',
      'b.yaml:1 UNKNOWN_KEY',
    ]);
  });
});

describe('YAML that is built to cost time (FAULTS Y1-Y3)', () => {
  const kib = 1024;
  const fill = (unit: string, size = 256 * kib): string => unit.repeat(Math.floor(size / unit.length));
  const bombs: Readonly<Record<string, readonly [string, string]>> = {
    'an alias bomb': [
      'YAML_ALIAS',
      `a: &a [x, x, x, x, x]\n${Array.from('bcdefghi', (name, index) => `${name}: &${name} [${Array.from({ length: 5 }, () => `*${'abcdefgh'[index] ?? ''}`).join(', ')}]`).join('\n')}\n`,
    ],
    'many aliases': ['YAML_ALIAS', `name: A\na: &a 1\ntests: [${fill('*a, ', 2000)}]\n`],
    'many anchors': ['YAML_ALIAS', fill('&a ')],
    'many keys': [
      'YAML_TOO_MANY_VALUES',
      Array.from({ length: 30_000 }, (_, index) => `k${index}:`)
        .join('\n')
        .slice(0, 256 * kib),
    ],
    'many list items': ['YAML_TOO_MANY_VALUES', `[${fill('a,', 255 * kib)}]`],
    'many documents': ['YAML_TOO_MANY_VALUES', fill('---\n')],
    'deep lists': ['YAML_DEPTH', fill('[')],
    'deep maps': ['YAML_DEPTH', fill('{a: ')],
    'deep dashes': ['YAML_DEPTH', fill('- ')],
    'deep questions': ['YAML_DEPTH', fill('? ')],
    'empty lines': ['YAML_TOO_MANY_VALUES', fill('\n')],
    'many expressions': ['BAD_TEMPLATE', `name: A\ninstructions: |\n${fill('  {{ flags.x }}\n', 200 * kib)}`],
    'many spaces before a mistake': ['BAD_TEMPLATE', `name: A\ninstructions: "${fill(' ', 200 * kib)}{{ x }}"\n`],
    'more than 256 KiB': ['FILE_TOO_LARGE', fill('# comment\n', 257 * kib)],
    '10 MB': ['FILE_TOO_LARGE', fill('key: value\n', 10 * kib * kib)],
  };
  it.each(Object.entries(bombs))('%s is refused', (_, [code, text]) => {
    const { set, diagnostics } = compileText(text);
    expect(set).toBeUndefined();
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
    expect(diagnostics.length).toBeLessThan(120);
  });

  it('refuses more than 5 MiB in all', () => {
    const files = Object.fromEntries(
      Array.from({ length: 24 }, (_, index) => [
        `f${index}.yaml`,
        `name: P${index}\ninstructions: |\n${fill('  some words here\n', 240 * kib)}`,
      ]),
    );
    const { diagnostics } = compileText(files);
    expect(diagnostics.map(({ code }) => code)).toEqual(['FOLDER_TOO_LARGE']);
  });
});
