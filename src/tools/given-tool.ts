import type { Tool } from '../core/tool/tool.ts';
import type { ToolDefinition } from './define-tool.ts';

/** A definition that went through neither `defineTool` nor `defineTransitionTool`; in a record, the key names one without a name. */
export type PlainTool = Omit<ToolDefinition<never>, 'name' | 'parameters'> & {
  readonly name?: string;
  readonly parameters?: unknown;
};

/** What `tool()` of the AI SDK returns, as far as types can say it without that package. */
export interface AiSdkTool {
  readonly inputSchema: unknown;
  readonly description?: unknown;
  readonly execute?: unknown;
}

/** A tool in any form that `createEngine({ tools })` takes. */
export type GivenTool = Tool | PlainTool | AiSdkTool;
