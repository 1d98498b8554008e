import { CadreError, describeThrown } from '../../core/error.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { Toolset } from '../../core/tool/toolset.ts';
import { compileSchema } from '../../tools/schema/compile-schema.ts';
import { normalizeTool } from '../../tools/normalize-tool.ts';
import { toolFacts } from '../../tools/tool-facts.ts';
import { readJson } from '../../core/read-json.ts';

/** Immutable list of a toolset's tools at one moment. */
export interface ToolList {
  readonly tools: readonly Tool[];
  /** Recorded form of the tools: JSON text of their facts, without secrets, and its address. */
  readonly text: string;
  readonly hash: ContentHash;
  /** One sentence for each unusable definition. */
  readonly leftOut: readonly string[];
}

/** Services for building tool lists, shared by all toolsets of an engine. */
export interface ListPorts {
  readonly hash: (text: string) => ContentHash;
  readonly redact: <T extends JsonValue>(value: T) => T;
}

/** Converts a toolset's definitions to a list of tools. Never throws: unusable definitions are left out, with the reason. */
export function toToolList(
  toolset: string,
  definitions: readonly unknown[],
  { kind, settingsFor }: Pick<Toolset, 'kind' | 'settingsFor'>,
  { hash, redact }: ListPorts,
): ToolList {
  const tools = new Map<string, Tool>();
  const leftOut: string[] = [];
  // Gates and approvals use the origin.
  const origin = { ...(kind === undefined ? {} : { toolsetKind: kind }), ...(settingsFor === undefined ? {} : { settingsFor }) };
  for (const definition of definitions) {
    try {
      const tool = toolOf(definition, toolset);
      if (tools.has(tool.name)) throw new CadreError('TOOL_INVALID', `There are two tools named '${tool.name}'.`);
      tools.set(tool.name, { ...tool, ...origin });
    } catch (thrown) {
      leftOut.push(thrown instanceof CadreError ? thrown.message : describeThrown(thrown));
    }
  }
  const list = [...tools.values()];
  const text = JSON.stringify(redact(list.map(toolFacts)));
  return { tools: list, text, hash: hash(text), leftOut };
}

function toolOf(definition: unknown, toolset: string): Tool {
  const tool = normalizeTool(definition);
  if (tool.toolset !== toolset) {
    const message = `Tool '${tool.name}' says it belongs to the toolset '${tool.toolset}', not '${toolset}'.`;
    throw new CadreError('TOOL_INVALID', message, { details: { field: 'toolset' } });
  }
  compileSchema(tool.parameters, `tool '${tool.name}'`);
  return tool;
}

/** A tool as a prompt offers it. */
interface Offered {
  readonly name: string;
}

/** Returns the differences between two lists of offered tools in JSON: `gone: a; new: b; changed: c`. Undefined when there are none. */
export function toolChanges(before: string, after: string): string | undefined {
  const old = byName(before);
  const now = byName(after);
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['gone', [...old.keys()].filter((name) => !now.has(name))],
    ['new', [...now.keys()].filter((name) => !old.has(name))],
    ['changed', [...now].flatMap(([name, text]) => (old.has(name) && old.get(name) !== text ? [name] : []))],
  ];
  const said = parts.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${names.join(', ')}`);
  return said.length === 0 ? undefined : said.join('; ');
}

function byName(json: string): ReadonlyMap<string, string> {
  const list = readJson(json) as readonly Offered[];
  return new Map(list.map((tool) => [tool.name, JSON.stringify(tool)]));
}
