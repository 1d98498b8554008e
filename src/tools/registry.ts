import { CadreError, describeThrown } from '../core/error.ts';
import { closestName } from '../core/expression/closest-name.ts';
import { isJsonObject } from '../core/json.ts';
import type { ArgumentProblem, Tool, ToolCatalog } from '../core/tool.ts';
import { compileSchema } from './compile-schema.ts';
import { normalizeTool } from './normalize-tool.ts';
import { decodeWireName, encodeWireName } from './wire-name.ts';

/** The tools of an engine: found by name, toolset or wire name, with their arguments checked. */
export interface ToolRegistry extends ToolCatalog {
  /** Checks arguments against a tool's schema; an unknown tool is a problem like any other. Never throws. */
  validate(name: string, args: unknown): { readonly ok: boolean; readonly errors: readonly ArgumentProblem[] };
  /** What schemas ask for and is not checked, one sentence each with the tool's name. */
  readonly warnings: readonly string[];
}

/**
 * Makes a registry of tools in any accepted form: a list, or a record whose keys name those that have no name of their
 * own. Every schema is compiled here, so that a bad one is known before a run starts.
 *
 * @throws CadreError `TOOL_INVALID` for a bad definition, a schema that cannot be used, or two tools of one name
 */
export function createToolRegistry(tools: Readonly<Record<string, unknown>> | readonly unknown[]): ToolRegistry {
  const byName = new Map<string, Tool>();
  const warnings: string[] = [];
  for (const tool of normalizeAll(tools)) {
    if (byName.has(tool.name))
      throw new CadreError('TOOL_INVALID', `There are two tools named '${tool.name}'; rename one of them.`, {
        details: { field: 'name' },
      });
    const compiled = compileSchema(tool.parameters, `tool '${tool.name}'`);
    warnings.push(...compiled.warnings.map((warning) => `tool '${tool.name}': ${warning}`));
    byName.set(tool.name, tool);
  }
  for (const tool of byName.values()) checkVerifier(tool, byName);
  const names = [...byName.keys()];
  const toolsets = groupByToolset(byName.values());
  const wires = wireNames(names);
  const origins = new Map([...wires].map(([name, wire]) => [wire, name]));
  return {
    get: (name) => byName.get(name),
    names: () => names,
    toolsets: () => [...toolsets.keys()],
    inToolset: (toolset) => toolsets.get(toolset) ?? [],
    wireName: (name) => wires.get(name) ?? encodeWireName(name),
    fromWire: (wire) => origins.get(wire) ?? decodeWireName(wire),
    validate: (name, args) => validate(byName, name, args),
    warnings,
  };
}

function checkVerifier(tool: Tool, tools: ReadonlyMap<string, Tool>): void {
  if (tool.verify === undefined) return;
  const verifier = tools.get(tool.verify);
  if (verifier?.kind === 'effect' && verifier.effect === 'pure') return;
  const problem = verifier === undefined ? 'there is no such tool' : 'that tool must be an effect tool that is pure';
  throw new CadreError('TOOL_INVALID', `Tool '${tool.name}': verify names '${tool.verify}', and ${problem}.`, {
    details: { field: 'verify' },
  });
}

function normalizeAll(tools: Readonly<Record<string, unknown>> | readonly unknown[]): readonly Tool[] {
  if (isList(tools)) return tools.map((value) => normalizeTool(value));
  return Object.entries(tools).map(([name, value]) => normalizeTool(value, name));
}

function isList(tools: Readonly<Record<string, unknown>> | readonly unknown[]): tools is readonly unknown[] {
  return Array.isArray(tools);
}

function groupByToolset(tools: Iterable<Tool>): ReadonlyMap<string, readonly Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const group = groups.get(tool.toolset);
    if (group === undefined) groups.set(tool.toolset, [tool]);
    else group.push(tool);
  }
  return groups;
}

/** One wire name per tool, all different: should two ever encode alike, the later one gets a hash of more than its name. */
function wireNames(names: readonly string[]): ReadonlyMap<string, string> {
  const wires = new Map<string, string>();
  const taken = new Set<string>();
  // Names that stay as they are come first: they must not lose their name to a hash.
  const ordered = names.toSorted((a, b) => Number(encodeWireName(a) !== a) - Number(encodeWireName(b) !== b));
  for (const name of ordered) {
    let wire = encodeWireName(name);
    for (let salt = 1; taken.has(wire); salt += 1) wire = encodeWireName(`${name}\n${'#'.repeat(64)}${salt}`);
    taken.add(wire);
    wires.set(name, wire);
  }
  return wires;
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
