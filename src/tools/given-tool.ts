import type { Tool } from '../core/tool/tool.ts';
import type { ToolDefinition } from './define-tool.ts';

/** A definition not passed through `defineTool` or `defineTransitionTool`; in a record, the key names a tool without a name. */
export type PlainTool = Omit<ToolDefinition<never>, 'name' | 'parameters'> & {
  readonly name?: string;
  readonly parameters?: unknown;
};

/** A `tool()` of the AI SDK, as precisely as types can describe it without that package. */
export interface AiSdkTool {
  readonly inputSchema: unknown;
  readonly description?: unknown;
  readonly execute?: unknown;
}

/** A tool in any form that `createEngine({ tools })` accepts. */
export type GivenTool = Tool | PlainTool | AiSdkTool;
