import { CadreError } from '../core/error.ts';
import { isJsonObject } from '../core/json.ts';
import type { Tool } from '../core/tool/tool.ts';
import { aiSdkToolOf, isAiSdkTool } from './ai-sdk-tool.ts';
import { plainToolOf } from './define-tool.ts';
import { invalidTool, readToolName, type RawDefinition } from './tool-options.ts';

/**
 * Converts any accepted form to a tool: the output of `defineTool` and `defineTransitionTool`, a plain definition, or an AI SDK `tool()`.
 * `name` applies when the value has none.
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

/** Returns a value that is already a tool unchanged, after checking that its essential parts are present. */
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
