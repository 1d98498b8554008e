import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import type { ToolEffect } from '../../core/tool/tool-effect.ts';
import { checkArguments, toParametersSchema, type ToolParameters } from './tool-arguments.ts';

/** Properties specific to one tool of this toolset. */
export interface DocumentToolOptions {
  readonly name: string;
  readonly toolset: string;
  readonly effect: ToolEffect;
  readonly trust: 'trusted' | 'untrusted';
  readonly description: string;
  readonly parameters: ToolParameters;
  readonly run: (args: JsonObject, context: ToolContext) => Promise<string>;
}

/** Longest result of a tool of this toolset; results are made to fit, so that none is cut in the middle of JSON. */
export const maxResultChars = 64_000;

/** Creates a tool of this toolset in the engine's form; the tool checks its arguments itself, too. */
export function createDocumentTool(options: DocumentToolOptions): EffectTool {
  const { name, toolset, effect, trust, description, parameters, run } = options;
  return {
    kind: 'effect',
    name,
    toolset,
    effect,
    trust,
    description,
    parameters: toParametersSchema(parameters),
    concurrency: 'parallel',
    endsFlow: false,
    unique: false,
    timeoutMs: 120_000,
    maxResultChars,
    contextContributions: [],
    check: (args) => checkArguments(parameters, args),
    execute: async (args: JsonObject, context: ToolContext) => {
      const checked = checkArguments(parameters, args);
      if (!checked.ok) {
        const problems = checked.errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
        throw new CadreError('TOOL_ARGUMENTS_INVALID', `The arguments of ${name} are not valid. ${problems}.`);
      }
      context.signal.throwIfAborted();
      return await run(checked.args, context);
    },
  };
}

/** Returns a text argument, or undefined when it was left out. */
export function textArgument(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a number argument, or undefined when it was left out. */
export function numberArgument(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}

/** Returns an argument that is a list of texts, or undefined when it was left out. */
export function textsArgument(args: JsonObject, name: string): readonly string[] | undefined {
  const value = args[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
