import { CadreError } from '../core/error.ts';
import { isJsonObject } from '../core/json.ts';
import type { Tool } from '../core/tool/tool.ts';
import { aiSdkToolOf, isAiSdkTool } from './ai-sdk-tool.ts';
import { plainToolOf } from './define-tool.ts';
import { invalidTool, readToolName, type RawDefinition } from './tool-options.ts';

/**
 * Makes a tool of whatever an author hands in: what `defineTool` and `defineTransitionTool` return, a definition that
 * went through neither, or an AI SDK `tool()`. `name` is used when the value has none of its own.
 *
 * @throws CadreError `TOOL_INVALID` naming the field that is wrong
 */
export function normalizeTool(value: unknown, name?: string): Tool {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CadreError(
      'TOOL_INVALID',
      `${name === undefined ? 'A tool' : `Tool '${name}'`} must be an object, made by defineTool, tool() of the AI SDK, or a definition; got ${describeKind(value)}.`,
      { details: { field: '' } },
    );
  }
  const definition = value as RawDefinition;
  if (definition['kind'] === 'effect' || definition['kind'] === 'transition') return checkTool(definition);
  if (isAiSdkTool(definition)) return aiSdkToolOf(definition, name);
  return plainToolOf(definition, name);
}

/** A tool that is one already passes through as it is, once its load-bearing parts are known to be there. */
function checkTool(tool: RawDefinition): Tool {
  const where = `tool '${readToolName(tool['name'])}'`;
  const action = tool['kind'] === 'effect' ? 'execute' : 'run';
  for (const field of [action, 'check'])
    if (typeof tool[field] !== 'function') throw invalidTool(where, field, 'must be a function');
  for (const field of ['description', 'toolset', 'effect', 'concurrency', 'trust'])
    if (typeof tool[field] !== 'string') throw invalidTool(where, field, 'must be a text');
  for (const field of ['timeoutMs', 'maxResultChars'])
    if (typeof tool[field] !== 'number') throw invalidTool(where, field, 'must be a number');
  if (!isJsonObject(tool['parameters'])) throw invalidTool(where, 'parameters', 'must be a JSON Schema object');
  if (!Array.isArray(tool['contextContributions'])) throw invalidTool(where, 'contextContributions', 'must be a list');
  return tool as RawDefinition & Tool;
}

function describeKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
