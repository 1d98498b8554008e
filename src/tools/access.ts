import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { OfferedTool } from '../core/model/model.ts';
import type { HandoverProtocol } from '../core/profile/profile.ts';
import type { Tool, ToolCatalog } from '../core/tool/tool.ts';
import { toWireSchema } from './schema/json-schema-of.ts';
import { mergeHandover } from './merge-handover.ts';

/** Tool access policy of a profile; `*` in a list means everything. */
export interface AccessPolicy {
  readonly allowedToolsets: readonly string[];
  readonly allowedTools: readonly string[];
}

/** Detail of `tool_description` segments: names and descriptions, or parameters and guides too. */
export type DescriptionStyle = 'brief' | 'full';

/**
 * Returns the tools a policy allows (A1.8): those of its toolsets and those it names, each once, in catalog order. `*` allows all tools
 * except those that must be named explicitly, such as shells.
 */
export function allowedTools(catalog: ToolCatalog, policy: AccessPolicy): readonly Tool[] {
  const toolsets = new Set(policy.allowedToolsets);
  const names = new Set(policy.allowedTools);
  const all = toolsets.has('*') || names.has('*');
  return catalog.names().flatMap((name) => {
    const tool = catalog.get(name);
    if (tool === undefined) return [];
    const isCovered = all && tool.byNameOnly !== true;
    return isCovered || names.has(name) || toolsets.has(tool.toolset) ? [tool] : [];
  });
}

/**
 * Returns a tool in the form offered to a model (A1.8): wire name, description with its toolset, and schema without `x-*` keywords. When
 * a handover protocol is given, the schema includes its parameters.
 */
export function offeredTool(catalog: ToolCatalog, tool: Tool, protocol?: HandoverProtocol): OfferedTool {
  const schema = protocol === undefined ? tool.parameters : mergeHandover(tool.parameters, protocol.contextParameters);
  return {
    type: 'function',
    name: catalog.wireName(tool.name),
    description: `${tool.description.trim()} (Belongs to toolset: '${tool.toolset}')`,
    inputSchema: toWireSchema(schema),
  };
}

/**
 * Returns the text of `tool_description` segments (A1.5): tools grouped by toolset. Pass `wireName` to show the names that the model
 * calls.
 */
export function describeTools(
  tools: readonly Tool[],
  style: DescriptionStyle = 'full',
  wireName: (name: string) => string = (name) => name,
): string {
  const groups = Map.groupBy(tools, (tool) => tool.toolset);
  return [...groups]
    .map(
      ([toolset, members]) => `### Toolset: ${toolset}\n${members.map((tool) => describeTool(tool, style, wireName)).join('\n')}`,
    )
    .join('\n\n');
}

function describeTool(tool: Tool, style: DescriptionStyle, wireName: (name: string) => string): string {
  const head = `* **${wireName(tool.name)}**: ${tool.description.trim().replaceAll('\n', '\n  ')}`;
  if (style === 'brief') return head;
  const guide = tool.guide === undefined ? [] : [`  * Guide: ${tool.guide.trim().replaceAll('\n', '\n    ')}`];
  return [head, ...parameterLines(tool.parameters), ...guide].join('\n');
}

function parameterLines(schema: JsonObject): readonly string[] {
  const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (properties.length === 0) return ['  * Parameters: none'];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return [
    '  * Parameters:',
    ...properties.map(
      ([name, property]) =>
        `    * ${name} (${kindOf(property)}${required.includes(name) ? ', required' : ''})${descriptionOf(property)}`,
    ),
  ];
}

function kindOf(property: JsonValue | undefined): string {
  if (!isJsonObject(property)) return 'any';
  const { type, items } = property;
  if (Array.isArray(property['enum']))
    return `one of ${property['enum'].map((value: JsonValue) => JSON.stringify(value)).join(', ')}`;
  if (type === 'array') return isJsonObject(items) ? `list of ${kindOf(items)}` : 'list';
  if (typeof type === 'string') return type;
  return Array.isArray(type) ? type.join(' or ') : 'any';
}

function descriptionOf(property: JsonValue | undefined): string {
  const description = isJsonObject(property) ? property['description'] : undefined;
  return typeof description === 'string' && description.trim() !== ''
    ? `: ${description.trim().replace(/(?<!\s)\s*\n\s*/g, ' ')}`
    : '';
}
