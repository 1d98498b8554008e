import { createRequire } from 'node:module';
import path from 'node:path';
import type { EffectTool } from '../../../src/core/tool/tool.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { Toolset, ToolsetHealth } from '../../../src/core/tool/toolset.ts';
import { mcpToolsetKind } from '../../../src/toolsets/mcp/mcp-toolset.ts';
import { normalizeTool } from '../../../src/tools/normalize-tool.ts';
import { manualClock, type ManualClock } from '../../../src/testing/index.ts';

/** A toolset that is connected, as its engine would see it. */
export interface ConnectedToolset {
  readonly toolset: Toolset;
  readonly clock: ManualClock;
  /** Everything it said of its health, in order. */
  readonly health: readonly ToolsetHealth[];
  /** Its tools as they were last set, by name. */
  readonly tools: () => ReadonlyMap<string, EffectTool>;
  readonly tool: (name: string) => EffectTool;
  /** Number of times the tools were set. */
  readonly sets: () => number;
  /** Resolves when the condition holds; looked at whenever something was told, and every few milliseconds. */
  readonly until: (condition: () => boolean, what?: string) => Promise<void>;
  readonly ready: () => Promise<void>;
}

/** Connects a toolset of kind `mcp` to a server, on a stopped clock. */
export function connectMcp(name: string, settings: JsonObject, clock = manualClock()): ConnectedToolset {
  const toolset = mcpToolsetKind.create({ name, settings, toolName: (tool) => `${name}_${tool}` });
  const health: ToolsetHealth[] = [];
  let tools: ReadonlyMap<string, EffectTool> = new Map();
  let sets = 0;
  const until: ConnectedToolset['until'] = async (condition, what = 'a condition') => {
    // A guard against hanging: a busy machine takes many seconds to start a sandbox.
    const deadline = Date.now() + 60_000;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`${what} did not come true; health: ${JSON.stringify(health)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  toolset.connect?.({
    clock,
    setTools: (given) => {
      sets += 1;
      tools = new Map(given.map((tool) => normalizeTool(tool) as EffectTool).map((tool) => [tool.name, tool]));
    },
    setHealth: (state) => health.push(state),
  });
  return {
    toolset,
    clock,
    health,
    tools: () => tools,
    tool: (wanted) => {
      const found = tools.get(wanted);
      if (found === undefined) throw new Error(`no tool ${wanted}; there are ${[...tools.keys()].join(', ')}`);
      return found;
    },
    sets: () => sets,
    until,
    ready: () => until(() => health.at(-1)?.status === 'ready', 'being ready'),
  };
}

/** The settings that start one of the reference servers. */
export function referenceServer(name: 'everything' | 'filesystem' | 'memory', ...args: readonly string[]): JsonObject {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return { command: process.execPath, args: [path.join(path.dirname(manifest), 'dist', 'index.js'), ...args] };
}
