import path from 'node:path';
import type { Command } from 'commander';
import { ownProfiles } from './profiles-folder.ts';
import { projectPath } from './project-file.ts';

/** Sets the journal of a command that names none to the one that the `team.yaml` of its project names. */
export async function useProjectStore(command: Command): Promise<void> {
  const takesStore = command.options.some(({ long }) => long === '--store');
  const { store } = command.opts<{ readonly store?: string }>();
  if (!takesStore || store !== undefined) return;
  // Not that of `--profiles`: commands that name other profiles, or none, must find the same journal.
  const folder = ownProfiles();
  const named = folder === undefined ? undefined : await projectPath(folder, 'store');
  // Relative, as a user would write it: messages repeat it.
  if (named !== undefined) command.setOptionValueWithSource('store', path.relative('', named), 'config');
}
