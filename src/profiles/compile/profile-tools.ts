import type { KnownNames, KnownToolset } from '../../core/profile/known-names.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { NamedTool } from '../../core/tool/tool-naming.ts';

/** What agents of a profile may call, as far as it is known before anything is connected. */
export interface ProfileTools {
  readonly tools: readonly NamedTool[];
  /** Toolsets whose tools are only known once they are connected. */
  readonly open: readonly Pick<NamedTool, 'toolset' | 'toolsetKind'>[];
}

/** Stands for everything. */
const every = '*';

/** The tools that a profile allows: those of its toolsets, those it names, and profiles that are exposed as tools. */
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

/** What is known of a toolset whose tools come with it. */
export function knownToolset(tools: readonly string[], kind?: string): KnownToolset {
  return { ...(kind === undefined ? {} : { kind }), ...(tools.length === 0 ? {} : { tools }) };
}
