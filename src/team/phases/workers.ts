import { closestName } from '../../core/expression/closest-name.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { isCallable } from '../agents/callee.ts';
import { isStaffable, type Profiles } from '../dispatch/staffing.ts';

/** The profiles a planner may give phases to: those its profile may call, else all that may be staffed; the first one by itself. */
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

/** Says that a profile cannot be given a phase, and which can. */
export function noWorker(name: string, workers: readonly string[]): string {
  const meant = closestName(name.slice(0, 100), workers);
  const guess = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `no phase can be given to ${JSON.stringify(name.slice(0, 100))}${guess} Workers: ${workers.join(', ') || 'none'}.`;
}

/**
 * Who carries out a step (B.66): the worker it names, else the first `[name]` of its texts that is a worker, in any letter
 * case, else the default. What is named as `worker` and is none gives no one else the step.
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
