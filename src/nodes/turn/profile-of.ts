import type { Env } from '../../core/env.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** The profile an agent runs by; a run never starts an agent whose profile is missing. */
export function profileOf(env: Env, agent: SubContext): CompiledProfile {
  const profile = env.profiles.get(agent.meta.profile);
  if (profile === undefined) throw new Error(`agent ${agent.meta.agentId} has no profile '${agent.meta.profile}'`);
  return profile;
}
