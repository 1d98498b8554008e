import type { KnownNames, KnownToolset } from '../../core/profile/known-names.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { NamedTool } from '../../core/tool/tool-naming.ts';
import type { ToolsetConfig } from '../../core/tool/toolset-config.ts';
import { toolsetToolNames } from './configs/compile-toolset.ts';

/** Tools that agents of a profile may call, as far as known before anything connects. */
export interface ProfileTools {
  readonly tools: readonly NamedTool[];
  /** Toolsets whose tools are known only once they are connected. */
  readonly open: readonly Pick<NamedTool, 'toolset' | 'toolsetKind'>[];
}

/** Matches everything. */
const every = '*';

/** Returns the tools that a profile allows: those of its toolsets, those it names, and profiles exposed as tools. */
export function profileTools(
  { allowedToolsets, allowedTools }: CompiledProfile,
  toolsets: NonNullable<KnownNames['toolsetTools']>,
  exposed: readonly NamedTool[],
): ProfileTools {
  const tools: NamedTool[] = [];
  const open: Pick<NamedTool, 'toolset' | 'toolsetKind'>[] = [];
  const all = allowedToolsets.includes(every) || allowedTools.includes(every);
  for (const [toolset, known] of toolsets) {
    const isWhole = all || allowedToolsets.includes(toolset);
    const of = { toolset, ...(known.kind === undefined ? {} : { toolsetKind: known.kind }) };
    for (const name of known.tools ?? []) if (isWhole || allowedTools.includes(name)) tools.push({ name, ...of });
    if (known.tools === undefined && (isWhole || allowedTools.some((name) => name.startsWith(`${toolset}_`)))) open.push(of);
  }
  for (const tool of exposed)
    if (all || allowedToolsets.includes(tool.toolset) || allowedTools.includes(tool.name)) tools.push(tool);
  return { tools, open };
}

/** Describes a toolset from its tool names; an empty list means they are not known yet. */
function knownToolset(tools: readonly string[], kind?: string): KnownToolset {
  return { ...(kind === undefined ? {} : { kind }), ...(tools.length === 0 ? {} : { tools }) };
}

/** Adds to the known names what the kinds of toolsets and the declared toolsets define. */
export function withToolsets(known: Partial<KnownNames>, declared: ReadonlyMap<string, ToolsetConfig>): Partial<KnownNames> {
  const { toolsetKinds: kinds } = known;
  if (kinds === undefined) return known;
  const toolsets = new Set(known.toolsets);
  const tools = new Set(known.tools);
  const observers = new Set(known.observers);
  const prefixes = new Set(known.toolPrefixes);
  const toolsetTools = new Map(known.toolsetTools);
  const add = (name: string, kindName: string): void => {
    const kind = kinds.get(kindName);
    if (kind === undefined) return;
    toolsets.add(name);
    if (kind.tools.length === 0) prefixes.add(`${name}_`);
    const own = toolsetToolNames(name, kindName, kind);
    for (const tool of own) tools.add(tool);
    toolsetTools.set(name, knownToolset(own, kindName));
    for (const observer of kind.observers) observers.add(observer);
  };
  // A kind without built-in tools must connect first, and has no default settings for that.
  for (const [name, { tools: own }] of kinds) if (own.length > 0) add(name, name);
  for (const { name, kind } of declared.values()) add(name, kind);
  return {
    ...known,
    toolPrefixes: prefixes,
    ...(known.toolsets === undefined ? {} : { toolsets }),
    ...(known.tools === undefined ? {} : { tools }),
    ...(known.observers === undefined ? {} : { observers }),
    ...(known.toolsetTools === undefined ? {} : { toolsetTools }),
  };
}
