import path from 'node:path';
import { shellWord } from '../terminal/shell-word.ts';

/** Facts about how this process was started. */
export interface StartedBy {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The started script: `process.argv[1]`. */
  readonly script: string | undefined;
  /** Folder in which commands will be typed. */
  readonly cwd: string;
}

/**
 * Returns the prefix with which `turns RUN` works for the reader: `npm run cadre --` inside the project, `npx cadre` when npm ran it,
 * `cadre` when it is on the path, else `node` and the script.
 */
export function commandPrefix({ env, script, cwd }: StartedBy): string {
  if (env['npm_lifecycle_event'] !== undefined && env['npm_package_name'] === 'cadre' && env['npm_command'] !== 'exec')
    return 'npm run cadre --';
  if (env['npm_command'] === 'exec') return 'npx cadre';
  if (script === undefined || path.basename(script) === 'cadre') return 'cadre';
  return scriptCommand(script, cwd);
}

/** Returns the command that starts a script from any folder. */
export function scriptCommand(script: string, cwd: string): string {
  const near = path.relative(cwd, script);
  return `node ${shellWord(near.startsWith('..') || near === '' ? script : near)}`;
}
