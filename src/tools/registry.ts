import { CadreError, describeThrown } from '../core/error.ts';
import { closestName } from '../core/expression/closest-name.ts';
import { isJsonObject } from '../core/json.ts';
import type { ArgumentProblem, Tool, ToolCatalog } from '../core/tool.ts';
import { compileSchema } from './compile-schema.ts';
import { normalizeTool } from './normalize-tool.ts';
import { decodeWireName, encodeWireName } from './wire-name.ts';

/** The kind of a toolset and the settings it was made with. */
export type ToolsetOrigin = Pick<Tool, 'toolsetKind' | 'settingsFor'>;

/** The tools of an engine: found by name, toolset or wire name, with their arguments checked. */
export interface ToolRegistry extends ToolCatalog {
  /** Checks arguments against a tool's schema; an unknown tool is a problem like any other. Never throws. */
  validate(name: string, args: unknown): { readonly ok: boolean; readonly errors: readonly ArgumentProblem[] };
  /** What schemas ask for and is not checked, one sentence each with the tool's name. */
  readonly warnings: readonly string[];
  /** Goes up whenever the tools change. */
  readonly version: number;
  /**
   * Replaces all tools of a toolset, as one that connects to a server learns of them. A tool that cannot be used, or whose
   * name is taken, is left out; the answer says which and why, one sentence each. Tools given first are never displaced.
   * `origin` is what the toolset was made from: its tools bear it, since gates and approvals go by it.
   */
  setToolset(toolset: string, tools: readonly unknown[], origin?: ToolsetOrigin): readonly string[];
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
  let tables = indexTools(byName);
  let version = 0;
  // Those that `setToolset` brought: the others may bear the same toolset's name, and stay.
  const replaceable = new Map<string, readonly string[]>();
  return {
    get: (name) => byName.get(name),
    names: () => tables.names,
    toolsets: () => [...tables.toolsets.keys()],
    inToolset: (toolset) => tables.toolsets.get(toolset) ?? [],
    wireName: (name) => tables.wires.get(name) ?? encodeWireName(name),
    fromWire: (wire) => tables.origins.get(wire) ?? decodeWireName(wire),
    validate: (name, args) => validate(byName, name, args),
    warnings,
    get version() {
      return version;
    },
    setToolset: (toolset, replacements, origin = {}) => {
      for (const name of replaceable.get(toolset) ?? []) byName.delete(name);
      const others = new Set(byName.keys());
      const leftOut = [
        ...replacements.flatMap((definition) => attempt(() => add({ ...toolOf(definition, toolset), ...origin }))),
        // A verifier may stand after the tool it is for.
        ...[...byName.values()].flatMap((tool) => (tool.toolset === toolset ? verifierProblem(tool, byName) : [])),
      ];
      replaceable.set(
        toolset,
        [...byName.keys()].filter((name) => !others.has(name)),
      );
      tables = indexTools(byName);
      version += 1;
      return leftOut;
    },
  };
}

function toolOf(definition: unknown, toolset: string): Tool {
  const tool = normalizeTool(definition);
  if (tool.toolset === toolset) return tool;
  const message = `Tool '${tool.name}' says it belongs to the toolset '${tool.toolset}', not '${toolset}'.`;
  throw new CadreError('TOOL_INVALID', message, { details: { field: 'toolset' } });
}

function verifierProblem(tool: Tool, tools: Map<string, Tool>): readonly string[] {
  const problem = attempt(() => checkVerifier(tool, tools));
  if (problem.length > 0) tools.delete(tool.name);
  return problem;
}

/** What went wrong, in one sentence; nothing when nothing did. */
function attempt(action: () => void): readonly string[] {
  try {
    action();
    return [];
  } catch (thrown) {
    return [thrown instanceof CadreError ? thrown.message : describeThrown(thrown)];
  }
}

interface ToolTables {
  readonly names: readonly string[];
  readonly toolsets: ReadonlyMap<string, readonly Tool[]>;
  readonly wires: ReadonlyMap<string, string>;
  readonly origins: ReadonlyMap<string, string>;
}

function indexTools(byName: ReadonlyMap<string, Tool>): ToolTables {
  const names = [...byName.keys()];
  const wires = wireNames(names);
  return {
    names,
    toolsets: groupByToolset(byName.values()),
    wires,
    origins: new Map([...wires].map(([name, wire]) => [wire, name])),
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
