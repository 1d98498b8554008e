import type { CompiledProfile, ProfileSet } from '../../core/profile/profile.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { callsOf, exposedProfiles } from '../../profiles/agent-calls.ts';
import { builtInToolsets } from './toolset-kinds.ts';

/**
 * Returns the toolsets that a run starting with agents of these profiles may use; undefined when it may be any. A profile whose toolsets
 * start no agents, and that calls none, leads to no other profile, so its run need not wait for the connections of other toolsets.
 */
export function toolsetsNeeded(set: ProfileSet, roots: Iterable<string>): ReadonlySet<string> | undefined {
  const exposed = exposedProfiles(set.profiles);
  const needed = new Set<string>();
  for (const name of roots) {
    const profile = set.profiles.get(name);
    if (profile === undefined || !isAlone(profile, set) || callsOf(profile, exposed).length > 0) return undefined;
    for (const toolset of profile.allowedToolsets) needed.add(toolset);
  }
  return needed;
}

/** True when all toolsets of a profile come from files or built-in kinds; those from code or the team may start agents. */
function isAlone({ allowedToolsets, allowedTools }: CompiledProfile, set: ProfileSet): boolean {
  return (
    allowedTools.length === 0 && allowedToolsets.every((name) => set.toolsets.has(name) || Object.hasOwn(builtInToolsets, name))
  );
}

/** Returns the profiles of all agents of a resumed run. */
export function profilesOf(run: RunContext): readonly string[] {
  return [...run.agents.values()].map(({ meta }) => meta.profile);
}
