import path from 'node:path';
import { shellWord } from '../terminal/shell-word.ts';

/** What tells how this process was started. */
export interface StartedBy {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The script that was started: `process.argv[1]`. */
  readonly script: string | undefined;
  /** The folder commands will be typed in. */
  readonly cwd: string;
}

/**
 * What to write before `turns RUN` so that it works where the reader is: `npm run cadre --` inside the project,
 * `npx cadre` when npm ran it, `cadre` when it is on the path, else `node` and the script.
 */
export function commandPrefix({ env, script, cwd }: StartedBy): string {
  if (env['npm_lifecycle_event'] !== undefined && env['npm_package_name'] === 'cadre' && env['npm_command'] !== 'exec')
    return 'npm run cadre --';
  if (env['npm_command'] === 'exec') return 'npx cadre';
  if (script === undefined || path.basename(script) === 'cadre') return 'cadre';
  return scriptCommand(script, cwd);
}

/** The command that works from any folder, whoever started this process. */
export function scriptCommand(script: string, cwd: string): string {
  const near = path.relative(cwd, script);
  return `node ${shellWord(near.startsWith('..') || near === '' ? script : near)}`;
}
