import { describe, expect, it } from 'vitest';
import { agentRoots } from '../../src/core/expression/agent-roots.ts';
import { functions } from '../../src/core/expression/compile/compile-call.ts';
import { eventDefinitions } from '../../src/core/events/event.ts';
import type { ItemId } from '../../src/core/ids.ts';
import { priorityOf } from '../../src/core/inbox/inbox.ts';
import { isJsonObject } from '../../src/core/json.ts';
import { globalStrategies } from '../../src/core/inbox/strategy.ts';
import { createIngestorRegistry } from '../../src/ingestors/registry.ts';
import { defaultAgentLimits, defaultRunLimits } from '../../src/core/profile/limits.ts';
import {
  handoverProtocolJsonSchema,
  llmConfigJsonSchema,
  profileJsonSchema,
  scriptJsonSchema,
  teamJsonSchema,
  testJsonSchema,
} from '../../src/profiles/json-schemas.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { createTeamTools } from '../../src/team/create-team-tools.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { codeWords, readPage, readPages, readText, section, tableRows } from './read-markdown.ts';

const registry = createToolRegistry([...createTeamTools(), ...createDocumentTools({ root: '.', outDir: '.' }).tools]);

/** Every key that a schema names anywhere below it. */
function keysOf(schema: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(schema)) for (const item of schema) keysOf(item, found);
  else if (typeof schema === 'object' && schema !== null) {
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties' && isJsonObject(value)) for (const name of Object.keys(value)) found.add(name);
      keysOf(value, found);
    }
  }
  return found;
}

describe('facts', () => {
  const errors = readPage('docs/errors.md');
  const profilePages = readPages().filter(({ file }) => /^docs\/profiles(?:\.md|\/)/.test(file));
  const conditions = readPage('docs/conditions.md');
  const firstCodes = (text: string): readonly string[] =>
    tableRows(text)
      .flatMap(([cell = '']) => codeWords(cell))
      .filter((word) => /^[A-Z][A-Z0-9_]+$/.test(word));
  const unionOf = (file: string, type: string): readonly string[] =>
    [...(new RegExp(`type ${type} =([^;]*);`).exec(readText(file))?.[1] ?? '').matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '');

  it('docs/errors.md has one line for each error code, and no other', () => {
    const [codes = ''] = errors.prose.split('## Diagnostics of profile files');
    expect(firstCodes(codes).toSorted()).toEqual(unionOf('src/core/error.ts', 'ErrorCode').toSorted());
  });

  it('docs/errors.md has one line for each diagnostic code, and no other', () => {
    expect(firstCodes(section(errors, 'Diagnostics of profile files')).toSorted()).toEqual(
      unionOf('src/profiles/diagnostic-code.ts', 'DiagnosticCode').toSorted(),
    );
  });

  it.each([
    ['profiles', profileJsonSchema()],
    ['LLM configs', llmConfigJsonSchema()],
    ['handover protocols', handoverProtocolJsonSchema()],
    ['scripts', scriptJsonSchema()],
    ['teams', teamJsonSchema()],
    ['tests', testJsonSchema()],
  ] as const)('docs/profiles.md and its pages mention every key of %s', (_name, schema) => {
    const text = [...profilePages, readPage('docs/testing.md')].map(({ file }) => readText(file)).join('\n');
    expect([...keysOf(schema)].filter((key) => !new RegExp(`(?<![\\w-])${key}(?![\\w-])`).test(text))).toEqual([]);
  });

  it('docs/profiles/inbox.md gives priority, ingestor and persistence of every source as they are', () => {
    const rows = tableRows(section(readPage('docs/profiles/inbox.md'), 'Sources and their defaults')).slice(1);
    const priority = (source: string): number =>
      priorityOf({ itemId: 'i1' as ItemId, source, payload: null, consumption: 'consume_on_read', delivery: 'next' });
    const expected = [...globalStrategies].map(([source, strategy]) => [
      `\`${source}\``,
      `${priority(source)}`,
      `\`${strategy.ingestor}\``,
      strategy.persistent ? 'yes' : 'no',
    ]);
    const other = ['any other', `${priority('NOBODY_KNOWS')}`, '`markdown_formatter`', 'yes'];
    expect(rows.map((row) => [...row]).toSorted()).toEqual([...expected, other].toSorted());
  });

  it('docs/profiles.md and its pages name the built-in ingestors and toolsets', () => {
    const named = new Set(profilePages.flatMap(({ prose }) => codeWords(prose)));
    const ingestors = createIngestorRegistry()
      .names()
      .filter((name) => !name.endsWith('_ingestor'));
    expect([...ingestors, ...registry.toolsets(), ...registry.names()].filter((name) => !named.has(name))).toEqual([]);
  });

  it('docs/profiles/limits.md gives the default limits as they are', () => {
    const numbers = Object.fromEntries(
      tableRows(section(readPage('docs/profiles/limits.md'), 'Limits')).map(([key = '', own = '', run = '']) => [
        key,
        [own, run].map((cell) => cell.replaceAll(',', '')),
      ]),
    );
    const hours = (ms: number): string => `${ms / 3_600_000} h`;
    for (const [key, name] of [
      ['max_turns', 'maxTurns'],
      ['max_tool_calls', 'maxToolCalls'],
      ['max_tokens', 'maxTokens'],
      ['max_cost_usd', 'maxCostUsd'],
    ] as const) {
      expect(numbers[`\`${key}\``]).toEqual([`${defaultAgentLimits[name]}`, `${defaultRunLimits[name]}`]);
    }
    expect(numbers['`max_wall_seconds`']).toEqual([hours(defaultAgentLimits.maxWallMs), hours(defaultRunLimits.maxWallMs)]);
    expect([numbers['`max_depth`']?.[1], numbers['`max_children`']?.[1], numbers['`soft_at`']?.[1]]).toEqual([
      `${defaultRunLimits.maxDepth}`,
      `${defaultRunLimits.maxChildren}`,
      `${defaultRunLimits.softAt}`,
    ]);
  });

  it('docs/conditions.md names every function, and every root with its fields', () => {
    const words = codeWords(conditions.prose);
    const called = new Set(words.flatMap((word) => [...word.matchAll(/\w+/g)].map((match) => match[0])));
    const fields = Object.values(agentRoots).flatMap((declared) =>
      declared.kind === 'closed' ? Object.keys(declared.fields) : [],
    );
    expect([...functions.keys(), ...Object.keys(agentRoots), ...fields].filter((name) => !called.has(name))).toEqual([]);
    const documented = tableRows(section(conditions, 'Functions'))
      .slice(1)
      .flatMap(([cell = '']) => [...cell.matchAll(/(\w+)\(/g)].map((match) => match[1] ?? ''));
    expect(documented.filter((name) => !functions.has(name))).toEqual([]);
  });

  it('docs/architecture.md names every event', () => {
    const events = [...eventDefinitions.keys()];
    const named = new Set(codeWords(readPage('docs/architecture.md').prose));
    expect(events.length).toBeGreaterThan(20);
    expect(events.filter((name) => !named.has(name))).toEqual([]);
  });

  it('AGENTS.md has a line for each invariant', () => {
    const rows = tableRows(section(readPage('AGENTS.md'), 'Invariants')).slice(1);
    expect(rows.map(([name]) => name)).toEqual(Array.from({ length: 13 }, (_, index) => `I${index + 1}`));
  });
});
