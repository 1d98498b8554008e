import { describe, expect, it } from 'vitest';
import type { Tool } from '../../src/core/tool/tool.ts';
import { combineTools, type ToolsetTools } from '../../src/tools/tool-catalog.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

function made(toolset: string, name: string, options: object = {}): Tool {
  return defineTool({
    name,
    toolset,
    description: 'Does something.',
    parameters: { type: 'object' },
    execute: () => 1,
    ...options,
  });
}

function of(toolset: string, tools: readonly Tool[], isConnected = false): ToolsetTools {
  return { toolset, tools, isConnected };
}

describe('the catalog of a profile set', () => {
  it('has the tools of code first, then those of toolsets, in the order given', () => {
    const { catalog } = combineTools(
      [made('default', 'z')],
      [of('server', [made('server', 'server_a')], true), of('fs', [made('fs', 'fs_b'), made('fs', 'fs_a')])],
    );
    expect(catalog.names()).toEqual(['z', 'server_a', 'fs_b', 'fs_a']);
    expect(catalog.toolsets()).toEqual(['default', 'server', 'fs']);
  });

  it('keeps the first of two tools of one name, and those of what connects to nothing before those of a server', () => {
    const [mine, file, served] = [made('default', 'fs_read'), made('fs', 'fs_write'), made('server', 'fs_write')];
    const { catalog, leftOut } = combineTools([mine], [of('server', [served], true), of('fs', [made('fs', 'fs_read'), file])]);
    expect([catalog.get('fs_read'), catalog.get('fs_write')]).toEqual([mine, file]);
    expect([...leftOut]).toEqual([['server', ["Another tool is already named 'fs_write'; that one is kept."]]]);
  });

  it.each([[['fs', 'fs_x']], [['fs_x', 'fs']]])(
    'no server takes away a tool of another by its name, whichever comes first: %j',
    (order) => {
      const tools = new Map([
        ['fs', made('fs', 'fs_x_pay')],
        ['fs_x', made('fs_x', 'fs_x_pay')],
      ]);
      const { catalog, leftOut } = combineTools(
        [],
        order.map((name) => of(name, [tools.get(name) ?? made(name, 'none')], true)),
      );
      expect(catalog.get('fs_x_pay')?.toolset).toBe('fs_x');
      expect([...leftOut.keys()]).toEqual(['fs']);
    },
  );

  it('has no tool whose verifier is not there', () => {
    const checked = made('fs', 'fs_pay', { effect: 'verifiable', verify: 'fs_look' });
    const { catalog, leftOut } = combineTools([], [of('fs', [checked])]);
    expect(catalog.names()).toEqual([]);
    expect(leftOut.get('fs')).toEqual(["Tool 'fs_pay': verify names 'fs_look', and there is no such tool."]);
    expect(combineTools([], [of('fs', [checked, made('fs', 'fs_look', { effect: 'pure' })])]).catalog.names()).toHaveLength(2);
  });
});
