import type { CompiledProfile } from '../core/profile/profile.ts';

type Profiles = ReadonlyMap<string, CompiledProfile>;

/** Profile that another profile may call, with the tool that calls it. */
export interface AgentCall {
  readonly profile: string;
  readonly tool: string;
}

/** Returns the profiles that are exposed as tools. */
export function exposedProfiles(profiles: Profiles): readonly CompiledProfile[] {
  return [...profiles.values()].filter(({ exposableAsTool }) => exposableAsTool !== undefined);
}

/**
 * Returns the profiles that agents of a profile may call, through `callable_profiles` or tools in its policy. `*` does not include
 * agents.
 */
export function callsOf(profile: CompiledProfile, exposed: readonly CompiledProfile[]): readonly AgentCall[] {
  const tools = new Set(profile.allowedTools);
  const toolsets = new Set(profile.allowedToolsets);
  const byTool = exposed.flatMap(({ name, exposableAsTool: tool }) =>
    tool !== undefined && (tools.has(tool.name) || toolsets.has(tool.toolset)) ? [{ profile: name, tool: tool.name }] : [],
  );
  return [...profile.callableProfiles.map((name) => ({ profile: name, tool: 'call_agent' })), ...byTool];
}
