import { existsSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../core/error.ts';
import { bundledProfiles, bundledTeam } from '../profiles/bundled-teams.ts';

const usualName = 'agent_profiles';

/**
 * The folder of profiles to use: the one that is named, which may also be a bundled team (`openmanus`); else `agent_profiles`
 * in the working folder, else the bundled team.
 */
export function profilesFolder(named: string | undefined): string {
  if (named !== undefined) return existsSync(named) ? path.resolve(named) : (bundledTeam(named) ?? path.resolve(named));
  const own = path.resolve(usualName);
  if (existsSync(own)) return own;
  if (existsSync(bundledProfiles)) return bundledProfiles;
  throw new CadreError(
    'OPTION_INVALID',
    `there are no profiles: neither ${usualName} in this folder nor the bundled ones; name a folder with --profiles DIR`,
  );
}
