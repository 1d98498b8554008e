import type { JsonObject } from '../core/json.ts';
import type { EffectTool, ToolContext } from '../core/tool/tool.ts';
import { checkToolFields } from './tool-fields.ts';
import { toolParameters } from './schema/tool-parameters.ts';
import {
  asDefinition,
  invalidTool,
  readToolName,
  readToolOptions,
  text,
  type RawDefinition,
  type ToolOptions,
} from './tool-options.ts';

/**
 * Type of a tool's arguments, as far as its parameters declare it: from zod and other Standard Schemas, or the AI SDK's
 * `jsonSchema<T>()`.
 */
export type ToolArguments<Parameters> = Parameters extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : JsonObject
  : Parameters extends { readonly _type: infer Output; readonly jsonSchema: unknown }
    ? Output
    : JsonObject;

/** A tool as its author writes it. */
export interface ToolDefinition<Parameters = unknown> extends ToolOptions {
  readonly name: string;
  readonly description: string;
  /** zod, another Standard Schema that offers JSON Schema, typebox, `jsonSchema()` of the AI SDK, or plain JSON Schema. Absent = no arguments. */
  readonly parameters?: Parameters;
  /**
   * Does the work. A returned text is the result as it is; a `ToolReturn` and any other value are accepted too. A thrown error becomes an
   * error result.
   */
  execute(args: ToolArguments<Parameters>, context: ToolContext): unknown;
}

/**
 * Declares a tool that runs outside the commit and may wait.
 *
 * @throws CadreError `TOOL_INVALID` naming the field that is wrong
 */
export function defineTool<Parameters = undefined>(definition: ToolDefinition<Parameters>): EffectTool {
  return plainToolOf(asDefinition(definition, 'defineTool'));
}

/** Creates a tool from a definition in Cadre's own form. */
export function plainToolOf(definition: RawDefinition, givenName?: string): EffectTool {
  checkToolFields(definition, 'effect', `tool '${readToolName(definition['name'] ?? givenName)}'`);
  const execute = definition['execute'];
  return effectToolOf({ ...definition }, typeof execute === 'function' ? execute.bind(definition) : execute, givenName);
}

/** Creates a tool from an unchecked definition and the function that does its work. */
export function effectToolOf(definition: RawDefinition, execute: unknown, givenName?: string): EffectTool {
  const common = readToolOptions(definition, givenName);
  const where = `tool '${common.name}'`;
  if (typeof execute !== 'function') throw invalidTool(where, 'execute', 'must be a function (args, context) => result');
  const description = text({ definition, where }, 'description');
  if (description === undefined)
    throw invalidTool(where, 'description', 'must say in a sentence or two what the tool does and when to use it');
  const { schema, check, parse } = toolParameters(definition['parameters'], where);
  const run = execute as (args: unknown, context: ToolContext) => unknown;
  return {
    kind: 'effect',
    ...common,
    description,
    parameters: schema,
    check,
    execute: (args, context) => {
      const parsed = parse(args);
      return parsed instanceof Promise ? parsed.then((ready) => run(ready, context)) : run(parsed, context);
    },
  };
}
