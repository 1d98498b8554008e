import { describe, expect, it } from 'vitest';
import { readServerTools } from '../../../src/toolsets/mcp/server-tool.ts';
import { ToolCache } from '../../../src/toolsets/mcp/tool-cache.ts';
import { normalizeTool } from '../../../src/tools/normalize-tool.ts';
import type { EffectTool } from '../../../src/core/tool/tool.ts';
import { tool as defined } from '../../support/tools.ts';

const listed = (...names: readonly string[]): ReturnType<typeof readServerTools> =>
  readServerTools(names.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })));

describe('P4: tools of a server, whose schemas may take long to compile', () => {
  it('are made one after the other, and everything else goes on between them', async () => {
    const order: string[] = [];
    const made = new ToolCache(({ name }) => {
      order.push(name);
      return normalizeTool(defined(name, () => 'ok')) as EffectTool;
    });
    const preparing = made.prepare(listed('a', 'b', 'c').tools);
    for (let turn = 0; turn < 3; turn += 1)
      await new Promise<void>((resolve) => setImmediate(() => resolve(void order.push('else'))));
    await preparing;
    expect(order.filter((what) => what !== 'else')).toEqual(['a', 'b', 'c']);
    expect(order.slice(order.indexOf('b'), order.indexOf('c'))).toContain('else');
  });

  it('are made once for each definition; one that cannot be made says why whenever it is wanted', async () => {
    let count = 0;
    const made = new ToolCache(({ name }) => {
      count += 1;
      if (name === 'bad') throw new Error('it is bad');
      return normalizeTool(defined(name, () => 'ok')) as EffectTool;
    });
    const { tools } = listed('a', 'bad');
    await made.prepare(tools);
    await made.prepare(listed('bad', 'a', 'new').tools);
    expect(count).toBe(3);
    const [a, bad] = tools;
    expect(a && made.get(a).name).toBe('a');
    expect(() => bad && made.get(bad)).toThrow('it is bad');
    expect(count).toBe(3);
  });
});
