import path from 'node:path';
import { agentPlaces } from './agent-places.ts';
import { systemProgramFolders } from './find-program.ts';
import { followTrail, trailProblem } from './program-place.ts';

/** PATH of the folders that only root fills. */
export const systemPath = systemProgramFolders.join(':');

/**
 * Environment of every program that runs outside a sandbox on behalf of one inside: the wrapper itself, shells that set limits, companions.
 * It is the same whatever the environment of this process and the settings of profiles say, since variables such as `BASH_ENV`,
 * `LD_PRELOAD` and `PATH` make such programs run other code.
 */
export const outsideEnvironment: Readonly<Record<string, string>> = { PATH: systemPath, LANG: 'C' };

/**
 * Returns the PATH for programs that run outside a sandbox and look for others by name: that of this process without the folders that an
 * agent or a project can write, and after it the folders of the system.
 */
export function safePath(given: string = process.env['PATH'] ?? ''): string {
  const places = agentPlaces();
  const isSafe = (folder: string): boolean => {
    const trail = path.isAbsolute(folder) ? followTrail(folder) : undefined;
    return trail !== undefined && trailProblem(trail, places) === undefined;
  };
  return [...new Set([...given.split(path.delimiter).filter(isSafe), ...systemProgramFolders])].join(path.delimiter);
}
