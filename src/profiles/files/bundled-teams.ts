import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the bundled team, with the other bundled teams below it; the path is the same from src/ and dist/. */
export const bundledProfiles = join(import.meta.dirname, '..', '..', '..', 'agent_profiles');

/** Returns the folder of a bundled team by name (`openmanus`); undefined when there is none. */
export function bundledTeam(name: string): string | undefined {
  const folder = join(bundledProfiles, name);
  return /^[\w-]+$/.test(name) && existsSync(join(folder, 'team.yaml')) ? folder : undefined;
}

/** Returns the names of the bundled teams, without the default one. */
export function bundledTeams(): readonly string[] {
  const names = existsSync(bundledProfiles) ? readdirSync(bundledProfiles) : [];
  return names.filter((name) => bundledTeam(name) !== undefined).toSorted();
}
