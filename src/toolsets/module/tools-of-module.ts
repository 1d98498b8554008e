import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { EffectTool } from '../../core/tool/tool.ts';
import { isAiSdkTool } from '../../tools/ai-sdk-tool.ts';
import { normalizeTool } from '../../tools/normalize-tool.ts';
import type { RawDefinition } from '../../tools/tool-options.ts';
import { describeProblem } from './describe-problem.ts';
import { watchEnd } from './watch-end.ts';

/** Toolset name, options and code hash for creating a file's tools. */
export interface ModuleRequest {
  readonly toolset: string;
  readonly options: JsonObject;
  /** Hash of the code: tools of other code count as different tools. */
  readonly hash: string;
}

interface Exported {
  readonly value: unknown;
  /** Name for a tool without one. */
  readonly name?: string;
}

/**
 * Finds the tools that a file exports: by default a tool, a list of tools or a function `(options) => tools`, and every other export that
 * is a tool. A tool exported twice is listed once. Names are prefixed with the toolset's name.
 *
 * @throws CadreError `TOOL_INVALID` naming everything that cannot be used
 */
export async function toolsOfModule(
  exports: Readonly<Record<string, unknown>>,
  request: ModuleRequest,
): Promise<readonly EffectTool[]> {
  const named = Object.keys(exports)
    .filter((name) => name !== 'default')
    .map((name) => ({ name, value: exports[name] }))
    .filter(({ value }) => looksLikeTool(value));
  const all = [...(await defaultTools(exports['default'], request)), ...named];
  const once = all.filter(({ value }, index) => all.findIndex((other) => other.value === value) === index);
  const tools = new Map<string, EffectTool>();
  const problems: string[] = [];
  for (const each of once) {
    try {
      const tool = toTool(each);
      if (tools.has(tool.name)) problems.push(`two tools are named '${tool.name}'; rename one of them`);
      tools.set(tool.name, tool);
    } catch (thrown) {
      problems.push(describeProblem(thrown));
    }
  }
  if (once.length === 0) problems.push('it exports no tool; write: export default defineTool({ … })');
  if (problems.length > 0) throw new CadreError('TOOL_INVALID', problems.join('; '));
  return [...tools.values()].map((tool) => ofToolset(tool, tools, request));
}

async function defaultTools(value: unknown, { options, toolset }: ModuleRequest): Promise<readonly Exported[]> {
  if (value === undefined) return [];
  const given = typeof value === 'function' ? await callDefault(value, options, toolset) : value;
  if (Array.isArray(given)) return (given as readonly unknown[]).map((each) => ({ value: each }));
  if (typeof given === 'object' && given !== null) return [{ value: given, name: toolset }];
  const got = given === null ? 'null' : typeof given;
  const what = typeof value === 'function' ? 'what its default export returns' : 'its default export';
  throw new CadreError('TOOL_INVALID', `${what} must be a tool or a list of tools, and is ${got}`);
}

// oxlint-disable-next-line typescript/no-unsafe-function-type -- export of a team's file
async function callDefault(make: Function, options: JsonObject, toolset: string): Promise<unknown> {
  using _end = watchEnd(`the tools of ${toolset} were made`);
  try {
    return (await Reflect.apply(make, undefined, [structuredClone(options)])) as unknown;
  } catch (thrown) {
    throw new CadreError('TOOL_INVALID', `its default export throws: ${describeProblem(thrown)}`, { cause: thrown });
  }
}

/** True for a value that resembles a tool, so that mistakes in it are reported; other exports are allowed. */
function looksLikeTool(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { kind, name, description, execute } = value as RawDefinition;
  return kind === 'effect' || kind === 'transition' || isAiSdkTool(value as RawDefinition) || named(name, description, execute);
}

function named(name: unknown, description: unknown, execute: unknown): boolean {
  return typeof name === 'string' && (typeof description === 'string' || typeof execute === 'function');
}

/** Copies every property first, so that a getter cannot change its answer later. */
function toTool({ value, name }: Exported): EffectTool {
  const definition = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : value;
  const tool = normalizeTool(definition, name);
  if (tool.kind === 'effect') return tool;
  throw new CadreError('TOOL_INVALID', `'${tool.name}' decides about the run, which a tool of a file cannot; use defineTool`);
}

function ofToolset(tool: EffectTool, own: ReadonlyMap<string, EffectTool>, { toolset, hash }: ModuleRequest): EffectTool {
  const { execute, verify, fingerprint = '' } = tool;
  const name = `${toolset}_${tool.name}`;
  return {
    ...tool,
    name,
    toolset,
    fingerprint: `${fingerprint}${fingerprint === '' ? '' : ' '}${hash}`,
    ...(verify === undefined || !own.has(verify) ? {} : { verify: `${toolset}_${verify}` }),
    execute: async (args, context) => {
      using end = watchEnd(`${name} was running`);
      context.signal.addEventListener('abort', () => end[Symbol.dispose](), { once: true });
      return await execute(args, context);
    },
  };
}
