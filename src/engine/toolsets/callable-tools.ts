import type { Env } from '../../core/env.ts';
import type { CompiledProfile, ProfileSet } from '../../core/profile/profile.ts';
import type { CallableTool, CallableTools } from '../../profiles/gates/check-gates.ts';
import { allowedTools } from '../../tools/access.ts';
import { mergeHandover } from '../../tools/merge-handover.ts';
import type { ToolsetInstance } from './toolset-instance.ts';

/** Returns the tools that agents of a profile may call, with the parameters their models see, and the toolsets that are not connected yet. */
export function callableTools(
  profile: CompiledProfile,
  set: ProfileSet,
  { catalog }: Pick<Env, 'catalog'>,
  connecting: readonly ToolsetInstance[],
): CallableTools {
  const tools = allowedTools(catalog, profile).flatMap((tool): readonly CallableTool[] => {
    const adapted = tool.forProfile === undefined ? tool : tool.forProfile(profile, set.profiles);
    if (adapted === undefined) return [];
    const protocol = adapted.handoverProtocol === undefined ? undefined : set.protocols.get(adapted.handoverProtocol);
    const { name, toolset, toolsetKind = tool.toolsetKind, descriptionTrust, parameters } = adapted;
    return [
      {
        name,
        toolset,
        parameters: protocol === undefined ? parameters : mergeHandover(parameters, protocol.contextParameters),
        ...(toolsetKind === undefined ? {} : { toolsetKind }),
        ...(descriptionTrust === undefined ? {} : { descriptionTrust }),
      },
    ];
  });
  const open = connecting
    .filter(({ name }) => mayCall(profile, name))
    .map(({ name: toolset }) => ({ toolset, ...kindOf(set, toolset) }));
  return { tools, open };
}

/** True when a profile allows tools of a toolset. */
export function mayCall({ allowedToolsets, allowedTools: names }: CompiledProfile, toolset: string): boolean {
  const all = allowedToolsets.includes('*') || names.includes('*');
  return all || allowedToolsets.includes(toolset) || names.some((name) => name.startsWith(`${toolset}_`));
}

function kindOf({ toolsets }: ProfileSet, toolset: string): { readonly toolsetKind?: string } {
  const kind = toolsets.get(toolset)?.kind;
  return kind === undefined ? {} : { toolsetKind: kind };
}
