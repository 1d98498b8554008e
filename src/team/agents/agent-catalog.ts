import type { ProfileSet } from '../../core/profile/profile.ts';
import type { Tool, ToolCatalog } from '../../core/tool/tool.ts';
import { isCallable } from './callee.ts';
import { exposedProfile } from './exposed-profile.ts';

/**
 * Adds the profiles of a set that are exposed as tools to a catalog. They belong to the set, not to the engine: a run keeps the
 * profiles it was started with, and so does their exposure as tools.
 */
export function withExposedProfiles(
  catalog: ToolCatalog,
  { profiles, protocols }: Pick<ProfileSet, 'profiles' | 'protocols'>,
): ToolCatalog {
  const exposed = new Map<string, Tool>();
  for (const profile of profiles.values()) {
    const tool = profile.exposableAsTool;
    if (tool === undefined || !isCallable(profile)) continue;
    const protocol = tool.protocol === undefined ? undefined : protocols.get(tool.protocol);
    exposed.set(tool.name, exposedProfile(profile, tool, protocol));
  }
  if (exposed.size === 0) return catalog;
  const inToolset = (toolset: string): readonly Tool[] => [...exposed.values()].filter((tool) => tool.toolset === toolset);
  const toolsets = new Set([...exposed.values()].map((tool) => tool.toolset));
  return {
    get: (name) => exposed.get(name) ?? catalog.get(name),
    names: () => [...catalog.names().filter((name) => !exposed.has(name)), ...exposed.keys()],
    toolsets: () => [...new Set([...catalog.toolsets(), ...toolsets])],
    inToolset: (toolset) => [...catalog.inToolset(toolset).filter(({ name }) => !exposed.has(name)), ...inToolset(toolset)],
    wireName: (name) => catalog.wireName(name),
    fromWire: (wire) => catalog.fromWire(wire),
  };
}
