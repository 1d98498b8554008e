import path from 'node:path';
import type { Command } from 'commander';
import { ownProfiles } from './profiles-folder.ts';
import { projectPath, projectServer } from './project-file.ts';

/** Sets the journal of a command that names none to the one that the `team.yaml` of its project names. */
export async function useProjectStore(command: Command): Promise<void> {
  const takesStore = command.options.some(({ long }) => long === '--store');
  const { store, trust, json } = command.opts<{ readonly store?: string; readonly trust?: boolean; readonly json?: boolean }>();
  if (!takesStore || store !== undefined) return;
  // Not that of `--profiles`: commands that name other profiles, or none, must find the same journal.
  const folder = ownProfiles();
  const url = folder === undefined ? undefined : projectServer(folder);
  if (folder !== undefined && url !== undefined) {
    const { checkProjectServer } = await import('../trust/check-project-server.ts');
    const { askOnTerminal } = await import('../trust/ask-on-terminal.ts');
    const canAsk = json !== true && command.name() !== 'mcp' && process.stdin.isTTY && process.stderr.isTTY;
    await checkProjectServer({ folder, url }, { isAgreed: trust === true, ask: canAsk ? askOnTerminal : undefined });
    command.setOptionValueWithSource('store', url, 'config');
    return;
  }
  const named = folder === undefined ? undefined : await projectPath(folder, 'store');
  // Relative, as a user would write it: messages repeat it.
  if (named !== undefined) command.setOptionValueWithSource('store', path.relative('', named), 'config');
}
