import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { ToolsetRequest } from '../../src/index.ts';
import { toolsetJsonSchema } from '../../src/profiles/json-schemas.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { builtInToolsets, loadToolsetKinds } from '../../src/engine/toolsets/toolset-kinds.ts';

const kinds = await loadToolsetKinds();

/** Rules for every kind of toolset that comes with Cadre. */
describe.each(Object.entries(builtInToolsets))('the kind of toolset %s', (name, { tools, observers = [] }) => {
  const kind = kinds[name];
  if (kind === undefined) throw new Error(`the kind ${name} is gone`);
  const request = (toolset: string): ToolsetRequest => ({
    name: toolset,
    settings: {},
    toolName: (tool) => (toolset === name ? tool : `${toolset}_${tool}`),
  });

  it('is what the table says', () => {
    expect({ kind: kind.kind, tools: kind.tools, observers: kind.observers ?? [] }).toEqual({ kind: name, tools, observers });
    expect(kind.description).toMatch(/\S.*\.$/);
  });

  it('takes an object without further keys, each with a description', () => {
    expect(kind.settings).toMatchObject({ type: 'object', additionalProperties: false });
    const properties = Object.entries((kind.settings['properties'] ?? {}) as Record<string, { description?: string }>);
    expect(properties.filter(([, { description }]) => (description ?? '').trim() === '').map(([key]) => key)).toEqual([]);
  });

  // A connecting toolset has no connection in its default settings.
  it.runIf(tools.length > 0)('has tools that bear its name and say what they need, under its own name or another', () => {
    const registry = createToolRegistry(kind.create(request(name)).tools);
    expect(registry.names().toSorted()).toEqual(tools.toSorted());
    expect(registry.toolsets()).toEqual([name]);
    expect(registry.warnings).toEqual([]);
    for (const tool of registry.inToolset(name)) expect(tool.description.length).toBeGreaterThan(20);
    const other = createToolRegistry(kind.create(request('other')).tools);
    expect(other.names().toSorted()).toEqual(tools.map((tool) => `other_${tool}`).toSorted());
    expect(other.toolsets()).toEqual(['other']);
  });
});

it('what reaches out of the workspace, or runs code, must be named, and asks', () => {
  const asking = ['shell', 'python', 'javascript', 'browser'].flatMap((name) => {
    const kind = kinds[name];
    if (kind === undefined) return [];
    const { tools } = kind.create({ name, settings: {}, toolName: (tool) => tool });
    return createToolRegistry(tools).inToolset(name);
  });
  expect(asking.length).toBeGreaterThan(3);
  expect(asking.filter((tool) => tool.byNameOnly !== true).map((tool) => tool.name)).toEqual([]);
  // Reading existing state, or stopping, has no new effect.
  expect(
    asking
      .filter((tool) => tool.needsApproval !== true)
      .map((tool) => tool.name)
      .toSorted(),
  ).toEqual([
    'list_commands',
    'read_command_output',
    'read_page_text',
    'scroll_page',
    'snapshot_page',
    'stop_command',
    'take_screenshot',
    'use_tab',
    'wait_for',
  ]);
});

it('editors know the settings of each kind, and that any of them may come from the environment', () => {
  const validate = new Ajv({ strict: false }).compile(toolsetJsonSchema(kinds));
  const looked = { _type: 'from_env', var: 'X' };
  expect(validate({ name: 'shell', settings: { sandbox: true } })).toBe(true);
  expect(validate({ name: 'my', kind: 'mcp', settings: { command: 'x', env: { TOKEN: looked } } })).toBe(true);
  expect(validate({ name: 'shell', settings: { sandbx: true } })).toBe(false);
  expect(validate({ name: 'my', kind: 'shell', settings: { sandbox: looked } })).toBe(true);
  expect(validate({ name: 'my', kind: 'no_such' })).toBe(false);
});
