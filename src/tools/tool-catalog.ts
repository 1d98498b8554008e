import { CadreError } from '../core/error.ts';
import type { Tool, ToolCatalog } from '../core/tool/tool.ts';
import { decodeWireName, encodeWireName } from './wire-name.ts';

/** Creates an immutable catalog of tools with distinct names. */
export function createToolCatalog(tools: Iterable<Tool>): ToolCatalog {
  const byName = new Map([...tools].map((tool) => [tool.name, tool]));
  const names = [...byName.keys()];
  const toolsets = Map.groupBy(byName.values(), (tool) => tool.toolset);
  const wires = wireNames(names);
  const origins = new Map([...wires].map(([name, wire]) => [wire, name]));
  return {
    get: byName.get.bind(byName),
    names: () => names,
    toolsets: () => [...toolsets.keys()],
    inToolset: (toolset) => toolsets.get(toolset) ?? [],
    wireName: (name) => wires.get(name) ?? encodeWireName(name),
    fromWire: (wire) => origins.get(wire) ?? decodeWireName(wire),
  };
}

/** The tools of one toolset. */
export interface ToolsetTools {
  readonly toolset: string;
  readonly tools: readonly Tool[];
  /** True when the tools come from a connection and may change. */
  readonly isConnected: boolean;
}

/** A catalog, and the tools left out of it. */
export interface CombinedTools {
  readonly catalog: ToolCatalog;
  /** By toolset, one sentence for each tool that cannot be used. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
}

/**
 * Combines the tools given in code and those of toolsets in one catalog, in the order given.
 *
 * 1. Tools given in code keep their names, then those of toolsets without a connection; of two with one name, the first stays, silently.
 * 2. A connected toolset takes no name from any of them. Of two connected ones, the one with the longer name comes first: no server can
 *    take away a tool of `fs_x` by offering `x_…` as `fs`, in whichever order they connect.
 */
export function combineTools(base: Iterable<Tool>, toolsets: readonly ToolsetTools[]): CombinedTools {
  const byName = new Map([...base].map((tool) => [tool.name, tool]));
  const leftOut = new Map<string, string[]>();
  const leave = (toolset: string, why: string): void => void leftOut.set(toolset, [...(leftOut.get(toolset) ?? []), why]);
  const connected = toolsets.filter(({ isConnected }) => isConnected);
  const bySpecificName = connected.toSorted((a, b) => b.toolset.length - a.toolset.length);
  for (const { toolset, tools, isConnected } of [...toolsets.filter((each) => !each.isConnected), ...bySpecificName]) {
    for (const tool of tools) {
      if (!byName.has(tool.name)) byName.set(tool.name, tool);
      else if (isConnected) leave(toolset, `Another tool is already named '${tool.name}'; that one is kept.`);
    }
  }
  // A verifier may follow the tool it verifies.
  for (const { toolset, tools } of toolsets) {
    for (const tool of tools) {
      const problem = byName.get(tool.name) === tool ? verifierProblem(tool, byName) : undefined;
      if (problem === undefined) continue;
      byName.delete(tool.name);
      leave(toolset, problem);
    }
  }
  const ordered = [...base, ...toolsets.flatMap(({ tools }) => tools)].filter((tool) => byName.get(tool.name) === tool);
  return { catalog: createToolCatalog(ordered), leftOut };
}

/**
 * Checks that a tool's verifier exists and can be one.
 *
 * @throws CadreError `TOOL_INVALID` when a tool names a verifier that does not exist or cannot be one
 */
export function checkVerifier(tool: Tool, tools: ReadonlyMap<string, Tool>): void {
  const problem = verifierProblem(tool, tools);
  if (problem !== undefined) throw new CadreError('TOOL_INVALID', problem, { details: { field: 'verify' } });
}

function verifierProblem(tool: Tool, tools: ReadonlyMap<string, Tool>): string | undefined {
  if (tool.verify === undefined) return undefined;
  const verifier = tools.get(tool.verify);
  if (verifier?.kind === 'effect' && verifier.effect === 'pure') return undefined;
  const problem = verifier === undefined ? 'there is no such tool' : 'that tool must be an effect tool that is pure';
  return `Tool '${tool.name}': verify names '${tool.verify}', and ${problem}.`;
}

/** Assigns each tool a distinct wire name; on a collision the later tool gets a longer hash. */
function wireNames(names: readonly string[]): ReadonlyMap<string, string> {
  const wires = new Map<string, string>();
  const taken = new Set<string>();
  // Names that need no encoding come first, so that they never get a hash.
  const ordered = names.toSorted((a, b) => Number(encodeWireName(a) !== a) - Number(encodeWireName(b) !== b));
  for (const name of ordered) {
    let wire = encodeWireName(name);
    for (let salt = 1; taken.has(wire); salt += 1) wire = encodeWireName(`${name}\n${'#'.repeat(64)}${salt}`);
    taken.add(wire);
    wires.set(name, wire);
  }
  return wires;
}
