import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The team that comes with Cadre, with the others in folders below; the same place from src/profiles and from dist/profiles. */
export const bundledProfiles = join(import.meta.dirname, '..', '..', '..', 'agent_profiles');

/** The folder of a team that comes with Cadre, by its name (`openmanus`); undefined when there is none. */
export function bundledTeam(name: string): string | undefined {
  const folder = join(bundledProfiles, name);
  return /^[\w-]+$/.test(name) && existsSync(join(folder, 'team.yaml')) ? folder : undefined;
}

/** The names of the teams that come with Cadre, besides the one that is used when none is named. */
export function bundledTeams(): readonly string[] {
  const names = existsSync(bundledProfiles) ? readdirSync(bundledProfiles) : [];
  return names.filter((name) => bundledTeam(name) !== undefined).toSorted();
}
