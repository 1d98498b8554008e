import type { KnownNames, KnownToolset } from '../../core/profile/known-names.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { NamedTool } from '../../core/tool/tool-naming.ts';

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
export function knownToolset(tools: readonly string[], kind?: string): KnownToolset {
  return { ...(kind === undefined ? {} : { kind }), ...(tools.length === 0 ? {} : { tools }) };
}
