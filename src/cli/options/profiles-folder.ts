import { existsSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import { bundledProfiles, bundledTeam, bundledTeams } from '../../profiles/files/bundled-teams.ts';

const defaultName = 'agent_profiles';

/**
 * Returns the profiles folder: the named one, which may also be a bundled team (`openmanus`); else `agent_profiles` in the working
 * folder, else the working folder itself when it is a team, else the bundled team.
 */
export function profilesFolder(named: string | undefined): string {
  if (named !== undefined) return namedFolder(named);
  const own = ownProfiles();
  if (own !== undefined) return own;
  if (existsSync(bundledProfiles)) return bundledProfiles;
  throw new CadreError(
    'OPTION_INVALID',
    `there are no profiles: neither ${defaultName} in this folder nor the bundled team exists; name a folder with --profiles DIR`,
  );
}

/** Returns the profiles folder of the working folder; undefined when it has none. */
export function ownProfiles(): string | undefined {
  const own = path.resolve(defaultName);
  if (existsSync(own)) return own;
  return existsSync('team.yaml') ? path.resolve('.') : undefined;
}

/** Renders a profiles folder for people. */
export function folderText(folder: string): string {
  return folder === bundledProfiles ? 'the bundled team' : path.relative('', folder) || 'this folder';
}

function namedFolder(named: string): string {
  const bundled = existsSync(named) ? undefined : bundledTeam(named);
  if (bundled !== undefined) return bundled;
  if (existsSync(named) || !/^[\w-]+$/.test(named)) return path.resolve(named);
  const teams = bundledTeams();
  const guess = closestName(named, teams);
  throw new CadreError(
    'OPTION_INVALID',
    `there is no folder '${named}' here, and no bundled team of this name; ${guess === undefined ? '' : `did you mean '${guess}'? `}there are: ${teams.join(', ')}`,
  );
}
