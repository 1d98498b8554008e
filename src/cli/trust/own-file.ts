import { homedir } from 'node:os';
import path from 'node:path';

/** Environment that names the user's folder for settings. */
export type ConfigEnv = Readonly<Record<string, string | undefined>>;

/** Returns the path of a file of this machine's user: in `cadre` below XDG_CONFIG_HOME, or ~/.config. */
export function ownFile(env: ConfigEnv, ...names: readonly string[]): string {
  const named = env['XDG_CONFIG_HOME'];
  const base = named !== undefined && path.isAbsolute(named) ? named : path.join(homedir(), '.config');
  return path.join(base, 'cadre', ...names);
}
