import { existsSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../core/error.ts';

const usualName = 'agent_profiles';

// The same place from src/cli and from dist/cli.
const bundled = path.join(import.meta.dirname, '..', '..', usualName);

/**
 * The folder of profiles to use: the one that is named, which may also be a bundled team (`openmanus`); else `agent_profiles`
 * in the working folder, else the bundled team.
 */
export function profilesFolder(named: string | undefined): string {
  if (named !== undefined) return existsSync(named) || !/^[\w-]+$/.test(named) ? path.resolve(named) : bundledTeam(named);
  const own = path.resolve(usualName);
  if (existsSync(own)) return own;
  if (existsSync(bundled)) return bundled;
  throw new CadreError(
    'OPTION_INVALID',
    `there are no profiles: neither ${usualName} in this folder nor the bundled ones; name a folder with --profiles DIR`,
  );
}

/** A bundled team by its name; the path in the working folder when there is none, which is then told to be missing. */
function bundledTeam(name: string): string {
  const folder = path.join(bundled, name);
  return existsSync(path.join(folder, 'team.yaml')) ? folder : path.resolve(name);
}
