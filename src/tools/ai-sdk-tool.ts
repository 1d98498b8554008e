import { describeThrown } from '../core/error.ts';
import type { EffectTool, ToolContext } from '../core/tool/tool.ts';
import { toolReturn, type ToolReturn } from '../core/tool/tool-return.ts';
import { toWire } from '../core/tool/to-wire.ts';
import { toContentParts } from './content-parts.ts';
import { effectToolOf } from './define-tool.ts';
import { checkToolFields } from './tool-fields.ts';
import { stableJson } from './stable-json.ts';
import { invalidTool, readToolName, type RawDefinition } from './tool-options.ts';

/** True for a tool definition of the AI SDK. */
export function isAiSdkTool(value: RawDefinition): boolean {
  return 'inputSchema' in value || value['type'] === 'provider' || value['type'] === 'provider-defined';
}

/**
 * Converts an AI SDK `tool()` definition to a tool. Without a `name` field, the tool gets `givenName`. Cadre's options are allowed beside
 * the AI SDK's fields.
 *
 * @throws CadreError `TOOL_INVALID` for tools the engine cannot run: those a provider runs, and those without `execute`
 */
export function aiSdkToolOf(definition: RawDefinition, givenName: string | undefined): EffectTool {
  const name = readToolName(definition['name'] ?? givenName);
  const where = `tool '${name}'`;
  const { needsApproval, ...others } = definition;
  checkToolFields(others, 'ai_sdk', where);
  if (!('inputSchema' in definition))
    throw invalidTool(
      where,
      'type',
      `is '${String(definition['type'])}': tools that a provider runs cannot be run here; define the tool yourself`,
    );
  const execute = definition['execute'];
  if (typeof execute !== 'function')
    throw invalidTool(where, 'execute', 'is missing; the AI SDK leaves tools without it to a client, and this engine has none');
  const run = execute as (input: unknown, options: unknown) => unknown;
  const toModelOutput = definition['toModelOutput'];
  const ours = {
    ...definition,
    name,
    description: describe(definition['description'], name, where),
    parameters: definition['inputSchema'],
    title: undefined,
    needsApproval: undefined,
  };
  const effectTool = effectToolOf(ours, async (input: unknown, context: ToolContext) => {
    const output = await lastOf(run.call(definition, input, optionsOf(context)), context);
    if (typeof toModelOutput !== 'function') return output;
    return fromModelOutput(
      await (toModelOutput as (options: unknown) => unknown).call(definition, { toolCallId: context.toolCallId, input, output }),
    );
  });
  // A function that decides per call cannot run inside a commit, so the tool asks for approval of every call.
  return needsApproval === undefined || needsApproval === false ? effectTool : { ...effectTool, needsApproval: true };
}

/** Returns the description: optional in the AI SDK, and possibly a function of a context. */
function describe(description: unknown, name: string, where: string): string {
  try {
    const text: unknown =
      typeof description === 'function' ? (description as (options: unknown) => unknown)({ context: {} }) : description;
    if (text === undefined || text === '') return name;
    if (typeof text === 'string') return text;
  } catch (thrown) {
    throw invalidTool(where, 'description', `could not be made: ${describeThrown(thrown)}`);
  }
  throw invalidTool(where, 'description', 'must be a text, or a function that returns one');
}

/** Returns the second argument of `execute` as the AI SDK passes it. */
function optionsOf(context: ToolContext): unknown {
  const messages = context.agent['messages'];
  return {
    toolCallId: context.toolCallId,
    messages: Array.isArray(messages) ? messages : [],
    // Read only by tools that want it: the engine creates the signal on first use.
    get abortSignal() {
      return context.signal;
    },
    context: context.context,
    experimental_context: context.context,
  };
}

/** Returns the last value of a tool that yields preliminary results, or its only value. */
async function lastOf(output: unknown, context: ToolContext): Promise<unknown> {
  const settled = await output;
  if (typeof settled !== 'object' || settled === null || !(Symbol.asyncIterator in settled)) return settled;
  let last: unknown;
  for await (const value of settled as AsyncIterable<unknown>) {
    last = value;
    context.signal.throwIfAborted();
  }
  return last;
}

/** Converts the output of `toModelOutput` to a tool return. */
function fromModelOutput(output: unknown): ToolReturn {
  const { type, value, reason } = (typeof output === 'object' && output !== null ? output : {}) as Readonly<
    Record<string, unknown>
  >;
  switch (type) {
    case 'text':
      return toolReturn({ content: String(value) });
    case 'error-text':
      return toolReturn({ content: String(value), isError: true });
    case 'error-json':
      return toolReturn({ content: stableJson(toWire(value)), isError: true });
    case 'execution-denied':
      return toolReturn({ content: `The call was denied${typeof reason === 'string' ? `: ${reason}` : ''}.`, isError: true });
    case 'content':
      return toolReturn({ content: toContentParts(value) ?? stableJson(toWire(value)) });
    case 'json':
      return toolReturn({ content: stableJson(toWire(value)) });
    default:
      return toolReturn({ content: stableJson(toWire(output)) });
  }
}
