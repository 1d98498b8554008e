import { closestName } from '../../core/expression/closest-name.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { isCallable } from '../agents/callee.ts';
import { isStaffable, type Profiles } from '../dispatch/staffing.ts';

/**
 * Returns the profiles a planner may give phases to: those its profile may call, otherwise all staffable ones; the first is the
 * default.
 */
export function workersOf(
  planner: CompiledProfile | undefined,
  profiles: Profiles,
  team: readonly string[] | undefined,
): readonly CompiledProfile[] {
  const named = planner?.callableProfiles ?? [];
  if (named.length === 0)
    return [...profiles.values()].filter((profile) => isStaffable(profile) && (team?.includes(profile.name) ?? true));
  return named.flatMap((name) => {
    const profile = profiles.get(name);
    return profile !== undefined && isCallable(profile) ? [profile] : [];
  });
}

/** Builds the message for a profile that cannot be given a phase, with a list of those that can. */
export function noWorker(name: string, workers: readonly string[]): string {
  const meant = closestName(name.slice(0, 100), workers);
  const guess = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `no phase can be given to ${JSON.stringify(name.slice(0, 100))}${guess} Workers: ${workers.join(', ') || 'none'}.`;
}

/**
 * Returns the executor of a step (B.66): the named worker, otherwise the first `[name]` in its texts that is a worker, ignoring
 * case, otherwise the default. An invalid `worker` does not fall back to another one.
 */
export function executorOf(
  { worker, texts }: { readonly worker: string; readonly texts: readonly string[] },
  workers: readonly string[],
  usual: string | undefined,
): string | undefined {
  if (worker !== '') return workers.includes(worker) ? worker : undefined;
  for (const text of texts)
    for (const [, name = ''] of text.matchAll(/\[([^[\]\s]{1,100})\]/g)) {
      const found = workers.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
      if (found !== undefined) return found;
    }
  return usual === undefined || workers.includes(usual) ? (usual ?? workers[0]) : undefined;
}
