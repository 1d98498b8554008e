import type { CompiledProfile } from '../core/profile/profile.ts';

type Profiles = ReadonlyMap<string, CompiledProfile>;

/** A profile that another may call, and the tool it is called with. */
export interface AgentCall {
  readonly profile: string;
  readonly tool: string;
}

/** The profiles that are exposed as tools. */
export function exposedProfiles(profiles: Profiles): readonly CompiledProfile[] {
  return [...profiles.values()].filter(({ exposableAsTool }) => exposableAsTool !== undefined);
}

/** Whom agents of a profile may call: by `callable_profiles`, and by tools its policy names. `*` covers no agents. */
export function callsOf(profile: CompiledProfile, exposed: readonly CompiledProfile[]): readonly AgentCall[] {
  const tools = new Set(profile.allowedTools);
  const toolsets = new Set(profile.allowedToolsets);
  const byTool = exposed.flatMap(({ name, exposableAsTool: tool }) =>
    tool !== undefined && (tools.has(tool.name) || toolsets.has(tool.toolset)) ? [{ profile: name, tool: tool.name }] : [],
  );
  return [...profile.callableProfiles.map((name) => ({ profile: name, tool: 'call_agent' })), ...byTool];
}
