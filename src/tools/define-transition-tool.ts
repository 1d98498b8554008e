import { CadreError } from '../core/error.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { TransitionTool } from '../core/tool/tool.ts';
import type { ResumeCause, TransitionContext, TransitionOutcome } from '../core/tool/transition.ts';
import type { ToolArguments } from './define-tool.ts';
import { checkToolFields } from './tool-fields.ts';
import { asDefinition, invalidTool, readToolOptions, text, type RawDefinition, type ToolOptions } from './tool-options.ts';
import { toolParameters } from './schema/tool-parameters.ts';

/** A transition tool as its author writes it: synchronous, pure functions of state. */
export interface TransitionToolDefinition<Parameters = unknown> extends ToolOptions {
  readonly name: string;
  readonly description: string;
  readonly parameters?: Parameters;
  /** Returns a result with events, or suspends the call. Runs inside the commit (I7). */
  run(args: ToolArguments<Parameters>, context: TransitionContext): TransitionOutcome;
  /** Resumes a suspended call when something it waits for has happened. */
  resume?(args: ToolArguments<Parameters>, context: TransitionContext, happening: ResumeCause, memo: JsonValue): TransitionOutcome;
}

/**
 * Declares a tool that runs inside the commit as a pure function of state: the second kind of tool, beside `defineTool`.
 *
 * @throws CadreError `TOOL_INVALID` naming the field that is wrong
 */
export function defineTransitionTool<Parameters = undefined>(definition: TransitionToolDefinition<Parameters>): TransitionTool {
  const raw: RawDefinition = { ...asDefinition(definition, 'defineTransitionTool') };
  // It is a pure function of state, so its result is trusted by default; words of agents in it keep the trust of their authors.
  const common = readToolOptions(raw, undefined, 'trusted');
  const where = `tool '${common.name}'`;
  checkToolFields(definition, 'transition', where);
  const description = text({ definition: raw, where }, 'description');
  if (description === undefined)
    throw invalidTool(where, 'description', 'must say in a sentence or two what the tool does and when to use it');
  if (typeof definition.run !== 'function') throw invalidTool(where, 'run', 'must be a function (args, context) => outcome');
  if (definition.resume !== undefined && typeof definition.resume !== 'function')
    throw invalidTool(where, 'resume', 'must be a function, when it is there');
  const { schema, check, parse } = toolParameters(definition.parameters, where);
  const ready = (args: JsonObject): ToolArguments<Parameters> => {
    const parsed = parse(args);
    if (parsed instanceof Promise) {
      parsed.catch(() => undefined);
      throw new CadreError(
        'TOOL_INVALID',
        `${where} decides inside a commit, so its parameters must be checked synchronously; its schema is asynchronous.`,
      );
    }
    return parsed as ToolArguments<Parameters>;
  };
  return {
    kind: 'transition',
    ...common,
    description,
    parameters: schema,
    check,
    run: (args, context) => definition.run(ready(args), context),
    ...(definition.resume === undefined ? {} : { resume: resumeOf(definition, ready) }),
  };
}

function resumeOf<Parameters>(
  definition: TransitionToolDefinition<Parameters>,
  ready: (args: JsonObject) => ToolArguments<Parameters>,
): NonNullable<TransitionTool['resume']> {
  return (args, context, happening, memo) => {
    if (definition.resume === undefined) throw new CadreError('INTERNAL', `tool '${definition.name}' cannot be resumed`);
    return definition.resume(ready(args), context, happening, memo);
  };
}
