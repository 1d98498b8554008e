import type { Env } from '../../core/env.ts';
import type { CompiledProfile, ProfileSet } from '../../core/profile/profile.ts';
import type { CallableTool, CallableTools } from '../../profiles/gates/check-gates.ts';
import { allowedTools } from '../../tools/access.ts';
import { mergeHandover } from '../../tools/merge-handover.ts';
import type { ToolsetInstance } from './toolset-instance.ts';

/** Returns the tools that agents of a profile may call, with the parameters their models see. */
export function callableTools(
  profile: CompiledProfile,
  { catalog, profiles, protocols }: Pick<Env, 'catalog' | 'profiles' | 'protocols'>,
): readonly CallableTool[] {
  return allowedTools(catalog, profile).flatMap((tool): readonly CallableTool[] => {
    const adapted = tool.forProfile === undefined ? tool : tool.forProfile(profile, profiles);
    if (adapted === undefined) return [];
    const protocol = adapted.handoverProtocol === undefined ? undefined : protocols.get(adapted.handoverProtocol);
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
}

/** Returns the toolsets of a profile whose tools are known only once they are connected. */
export function openToolsets(
  profile: CompiledProfile,
  { toolsets }: Pick<ProfileSet, 'toolsets'>,
  connecting: readonly ToolsetInstance[],
): CallableTools['open'] {
  return connecting
    .filter(({ name }) => mayCall(profile, name))
    .map(({ name: toolset }) => {
      const kind = toolsets.get(toolset)?.kind;
      return { toolset, ...(kind === undefined ? {} : { toolsetKind: kind }) };
    });
}

/** True when a profile allows tools of a toolset. */
function mayCall({ allowedToolsets, allowedTools: names }: CompiledProfile, toolset: string): boolean {
  const all = allowedToolsets.includes('*') || names.includes('*');
  return all || allowedToolsets.includes(toolset) || names.some((name) => name.startsWith(`${toolset}_`));
}
