import { describe, expect, it } from 'vitest';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { builtInToolsets } from '../../src/tools/toolset-kinds.ts';

describe('the toolsets that come with Cadre', () => {
  it.each(Object.keys(builtInToolsets))('%s is what the table says', async (name) => {
    const entry = builtInToolsets[name];
    const kind = await entry?.load();
    expect(kind?.kind).toBe(name);
    expect(kind?.tools).toEqual(entry?.tools);
    // One that connects cannot be made without saying to what.
    if (kind?.tools.length === 0) return;
    const { tools = [] } = kind?.create({ name, settings: {}, toolName: (tool) => `mine_${tool}` }) ?? {};
    const registry = createToolRegistry(tools);
    expect(registry.names()).toEqual(kind?.tools.map((tool) => `mine_${tool}`));
    for (const tool of registry.names()) expect(registry.get(tool)).toMatchObject({ toolset: name });
    expect(registry.warnings).toEqual([]);
  });
});
