import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { newTool, newToolset, toolsetOf } from './names.ts';
import { find, type SourceFile } from './source-file.ts';
import { baseOf, chainOf, textsOf, type SourceTree } from './source-tree.ts';

/** Notes built-in tools that the texts of a profile mention but the profile may not call. */
export function checkNamedTools(file: SourceFile, tree: SourceTree): void {
  const isBase = [...tree.profiles.values()].some((other) => baseOf(other) === file.data['name']);
  if (isBase) return;
  const chain = chainOf(file, tree.profiles) ?? [];
  const list = (key: string): readonly string[] => chain.flatMap(({ data }) => textsOf(data, 'tool_access_policy', key));
  const toolsets = new Set(list('allowed_toolsets').map((name) => newToolset(name)?.name ?? name));
  const tools = new Set(list('allowed_individual_tools').map((name) => newTool(name)?.name ?? name));
  if (toolsets.has('*') || tools.has('*')) return;
  const named = new Set(
    textsIn(file.data).flatMap((text) => [...text.matchAll(/`([A-Za-z]\w+)`/g)].map((match) => match[1] ?? '')),
  );
  for (const name of named) {
    const tool = newTool(name)?.name;
    const toolset = tool === undefined ? undefined : toolsetOf(tool);
    if (tool === undefined || toolset === undefined || tools.has(tool) || toolsets.has(toolset)) continue;
    find(file, 'changed', {
      at: undefined,
      message: `a text mentions ${tool}, which the profile may not call`,
      hint: `allow the toolset ${toolset}, or remove it from the text`,
    });
  }
}

/** Returns the texts that models read: contents of segments, and text definitions. */
function textsIn(value: JsonValue | undefined, key = ''): readonly string[] {
  if (typeof value === 'string') return key === 'content' || key === 'text' ? [value] : [];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap((item) => textsIn(item, key));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    textsIn(each, name === 'text_definitions' || key === 'text' ? 'text' : name),
  );
}
