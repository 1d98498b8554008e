/**
 * A client for the conformance suite, which starts it with the address of a server as its last argument: connects a toolset to
 * the server and calls each of its tools once.
 */
import { mcpToolset } from '../../src/toolsets/mcp/mcp-toolset.ts';
import { normalizeTool } from '../../src/tools/normalize-tool.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import type { ToolsetHealth } from '../../src/core/tool/toolset.ts';
import { toolContext } from '../tools/tool-context.ts';

const url = process.argv.at(-1) ?? '';
const toolset = mcpToolset({ url })({ name: 's' });
const told = Promise.withResolvers<ToolsetHealth>();
let tools: readonly unknown[] = [];
toolset.connect?.({
  clock: systemClock,
  setTools: (given) => {
    tools = given;
  },
  setHealth: (health) => {
    if (health.status !== 'connecting') told.resolve(health);
  },
});
const { status, message } = await told.promise;
console.log(status, message ?? '');
for (const given of tools) {
  const tool = normalizeTool(given);
  if (tool.kind === 'effect') console.log(tool.name, JSON.stringify(await tool.execute({ a: 5, b: 3 }, toolContext())));
}
await toolset.close?.();
