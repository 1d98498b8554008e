import { CadreError, describeThrown } from '../core/error.ts';
import { closestName } from '../core/expression/closest-name.ts';
import { isJsonObject } from '../core/json.ts';
import type { Tool, ToolCatalog } from '../core/tool/tool.ts';
import type { ArgumentProblem } from '../core/tool/argument-check.ts';
import { compileSchema } from './schema/compile-schema.ts';
import { normalizeTool } from './normalize-tool.ts';
import { checkVerifier, createToolCatalog } from './tool-catalog.ts';

/** An immutable list of tools, found by name, toolset or wire name, that checks their arguments. */
export interface ToolRegistry extends ToolCatalog {
  /** Checks arguments against a tool's schema; an unknown tool is reported as a problem. Never throws. */
  validate(name: string, args: unknown): { readonly ok: boolean; readonly errors: readonly ArgumentProblem[] };
  /** Schema requirements that are not checked, one sentence each with the tool's name. */
  readonly warnings: readonly string[];
}

/**
 * Creates a registry of tools in any accepted form: a list, or a record whose keys name the tools without a name. Compiles every schema
 * here, so that a bad one is reported before a run starts.
 *
 * @throws CadreError `TOOL_INVALID` for a bad definition, an unusable schema, or two tools with the same name
 */
export function createToolRegistry(tools: Readonly<Record<string, unknown>> | readonly unknown[]): ToolRegistry {
  const byName = new Map<string, Tool>();
  const warnings: string[] = [];
  const add = (tool: Tool): void => {
    if (byName.has(tool.name))
      throw new CadreError('TOOL_INVALID', `There are two tools named '${tool.name}'; rename one of them.`, {
        details: { field: 'name' },
      });
    const compiled = compileSchema(tool.parameters, `tool '${tool.name}'`);
    warnings.push(...compiled.warnings.map((warning) => `tool '${tool.name}': ${warning}`));
    byName.set(tool.name, tool);
  };
  for (const tool of normalizeAll(tools)) add(tool);
  for (const tool of byName.values()) checkVerifier(tool, byName);
  return {
    ...createToolCatalog(byName.values()),
    validate: (name, args) => validate(byName, name, args),
    warnings,
  };
}

function normalizeAll(tools: Readonly<Record<string, unknown>> | readonly unknown[]): readonly Tool[] {
  if (typeof tools !== 'object' || tools === null)
    throw new CadreError(
      'TOOL_INVALID',
      `The tools must be a list, or an object with a tool under each name; got ${tools === null ? 'null' : typeof tools}.`,
      { details: { field: '' } },
    );
  if (isList(tools)) return tools.map((value) => normalizeTool(value));
  return Object.entries(tools).map(([name, value]) => normalizeTool(value, name));
}

function isList(tools: Readonly<Record<string, unknown>> | readonly unknown[]): tools is readonly unknown[] {
  return Array.isArray(tools);
}

function problem(message: string): ReturnType<ToolRegistry['validate']> {
  return { ok: false, errors: [{ path: '', message }] };
}

function validate(tools: ReadonlyMap<string, Tool>, name: string, args: unknown): ReturnType<ToolRegistry['validate']> {
  const tool = tools.get(name);
  if (tool === undefined) {
    const meant = closestName(name.slice(0, 100), tools.keys());
    return problem(`there is no tool '${name.slice(0, 100)}'${meant === undefined ? '' : `; did you mean '${meant}'?`}`);
  }
  if (!isJsonObject(args)) return problem('the arguments must be an object with named fields');
  try {
    const checked = tool.check(args);
    return checked.ok ? { ok: true, errors: [] } : { ok: false, errors: checked.errors };
  } catch (thrown) {
    return problem(`the check of '${name}' failed: ${describeThrown(thrown)}`);
  }
}
