import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/core/json.ts';
import type { HandoverProtocol } from '../../src/core/profile/profile.ts';
import { allowedTools, describeTools, offeredTool } from '../../src/tools/access.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { mergeHandover, withHandover } from '../../src/tools/merge-handover.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';

const execute = (): string => 'done';
const search = defineTool({
  name: 'search.web',
  toolset: 'web',
  description: 'Searches the web.',
  guide: 'Use few words.\nThen read.',
  execute,
  parameters: {
    type: 'object',
    'x-secret': 1,
    required: ['query'],
    properties: {
      query: { type: 'string', description: 'What to look for.', 'x-handover-title': 'Query' },
      'x-api-key': { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
    },
  },
});
const fetch = defineTool({ name: 'fetch', toolset: 'web', description: 'Fetches a page.', execute });
const note = defineTool({ name: 'note', description: 'Takes a note.', execute });
const catalog = createToolRegistry([note, search, fetch]);
const names = (allowedToolsets: string[], tools: string[]): readonly string[] =>
  allowedTools(catalog, { allowedToolsets, allowedTools: tools }).map((tool) => tool.name);

const protocol: HandoverProtocol = {
  name: 'p',
  version: '1',
  description: '',
  inheritance: [],
  targetSource: 'AGENT_STARTUP_BRIEFING',
  source: { file: 'p.yaml', line: 1, column: 1 },
  contextParameters: {
    type: 'object',
    required: ['goal', 'background'],
    properties: { goal: { type: 'string', 'x-handover-title': 'Goal' }, background: { type: 'string' } },
  },
};

describe('A1.8 Access: toolsets and individual tools, each tool once, in the order of the catalog', () => {
  test.each<[string[], string[], string[]]>([
    [[], [], []],
    [['web'], [], ['search.web', 'fetch']],
    [[], ['fetch'], ['fetch']],
    [['web'], ['fetch', 'note'], ['note', 'search.web', 'fetch']],
    [['*'], [], ['note', 'search.web', 'fetch']],
    [[], ['*'], ['note', 'search.web', 'fetch']],
    [['none', '__proto__'], ['constructor'], []],
  ])('toolsets %j and tools %j allow %j', (toolsets, tools, expected) => {
    expect(names(toolsets, tools)).toEqual(expected);
  });
});

describe('A1.8 To the LLM', () => {
  test('wire name, description with the toolset, and a schema without x- keywords; properties of such names stay', () => {
    expect(offeredTool(catalog, search)).toEqual({
      type: 'function',
      name: 'search_dot_web',
      description: "Searches the web. (Belongs to toolset: 'web')",
      inputSchema: {
        type: 'object',
        required: ['query'],
        properties: {
          query: { type: 'string', description: 'What to look for.' },
          'x-api-key': { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    });
  });

  test('a tool without arguments still has properties, which some providers insist on', () => {
    expect(offeredTool(catalog, note).inputSchema).toEqual({ type: 'object', properties: {} });
  });
});

describe('A1.8 handover merge', () => {
  test('into the items of the first list of objects', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['jobs'],
      properties: {
        note: { type: 'string' },
        jobs: { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } },
      },
    };
    expect(mergeHandover(schema, protocol.contextParameters)).toEqual({
      type: 'object',
      required: ['jobs'],
      properties: {
        note: { type: 'string' },
        jobs: {
          type: 'array',
          items: {
            type: 'object',
            required: ['background', 'goal', 'id'],
            properties: {
              id: { type: 'string' },
              goal: { type: 'string', 'x-handover-title': 'Goal' },
              background: { type: 'string' },
            },
          },
        },
      },
    });
  });

  test('into the top level when there is no such list', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string' } } },
      required: ['tags'],
    };
    expect(mergeHandover(schema, protocol.contextParameters)).toMatchObject({
      required: ['background', 'goal', 'tags'],
      properties: { goal: {}, background: {}, tags: {} },
    });
  });

  test('D1.4: what the tool declares at the top stays there, and only there', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { background: { type: 'string' }, jobs: { type: 'array', items: { type: 'object', properties: {} } } },
    };
    const merged = mergeHandover(schema, protocol.contextParameters);
    expect(merged).toMatchObject({ required: ['background'], properties: { jobs: { items: { required: ['goal'] } } } });
    expect(JSON.stringify((merged['properties'] as JsonSchema)['jobs'])).not.toContain('background');
  });

  test('neither schema is changed', () => {
    const before = JSON.stringify([search.parameters, protocol]);
    mergeHandover(search.parameters, protocol.contextParameters);
    expect(JSON.stringify([search.parameters, protocol])).toBe(before);
  });

  test('the model is offered the merged schema, and calls are checked against it', () => {
    expect(offeredTool(catalog, note, protocol).inputSchema).toEqual({
      type: 'object',
      required: ['background', 'goal'],
      properties: { goal: { type: 'string' }, background: { type: 'string' } },
    });
    const tool = withHandover(note, protocol);
    expect(tool.check({ goal: 'g' })).toMatchObject({ ok: false, errors: [{ message: 'the field "background" is missing' }] });
    expect(tool.check({ goal: 'g', background: 'b' })).toEqual({ ok: true, args: { goal: 'g', background: 'b' } });
  });
});

describe('A1.5 tool_description: grouped by toolset', () => {
  test('[A5.prompt] [B.37] in full: description, parameters, guide', () => {
    expect(describeTools([search, note, fetch], 'full', (name) => catalog.wireName(name))).toBe(
      [
        '### Toolset: web',
        '* **search_dot_web**: Searches the web.',
        '  * Parameters:',
        '    * query (string, required): What to look for.',
        '    * x-api-key (string)',
        '    * tags (list of string)',
        '  * Guide: Use few words.',
        '    Then read.',
        '* **fetch**: Fetches a page.',
        '  * Parameters: none',
        '',
        '### Toolset: note',
        '* **note**: Takes a note.',
        '  * Parameters: none',
      ].join('\n'),
    );
  });

  test('in brief: names and descriptions', () => {
    expect(describeTools([search, note], 'brief')).toBe(
      '### Toolset: web\n* **search.web**: Searches the web.\n\n### Toolset: note\n* **note**: Takes a note.',
    );
    expect(describeTools([])).toBe('');
  });
});
