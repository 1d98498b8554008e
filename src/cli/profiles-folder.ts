import { existsSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../core/error.ts';

const usualName = 'agent_profiles';

/** The folder of profiles to use: the one that is named, else `agent_profiles` in the working folder, else the bundled team. */
export function profilesFolder(named: string | undefined): string {
  if (named !== undefined) return path.resolve(named);
  const own = path.resolve(usualName);
  if (existsSync(own)) return own;
  // The same place from src/cli and from dist/cli.
  const bundled = path.join(import.meta.dirname, '..', '..', usualName);
  if (existsSync(bundled)) return bundled;
  throw new CadreError(
    'OPTION_INVALID',
    `there are no profiles: neither ${usualName} in this folder nor the bundled ones; name a folder with --profiles DIR`,
  );
}
