import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { rememberAgentPlace } from '../../files/programs/agent-places.ts';
import { defaultStorePath } from '../recovery/open-store.ts';

/** Workspace of runs: one folder for all of them, or a function from run id to folder. */
export type WorkspaceOption = string | ((runId: string) => string);

/**
 * Returns the workspace of a run: the folder it was launched with, else the engine's, else a separate one beside the journal (for a journal
 * in memory, in the folder for temporary files). It is created when a tool first asks for it.
 */
export function createWorkspaces(
  option: WorkspaceOption | undefined,
  store: unknown,
): (meta: Pick<RunContext['meta'], 'runId' | 'workspace'>) => () => string {
  return (meta) => {
    let made: string | undefined;
    const named = meta.workspace ?? chosen(option, store, meta.runId);
    return () => (made ??= known(named === undefined ? makeTemporary() : make(path.resolve(named))));
  };
}

/** Returns the folder; undefined for a run in memory, which uses a temporary folder with an unpredictable name. */
function chosen(option: WorkspaceOption | undefined, store: unknown, runId: string): string | undefined {
  if (typeof option === 'string') return option;
  if (option !== undefined) return option(runId);
  if (store === 'memory') return undefined;
  return workspaceBeside(typeof store === 'string' ? store : defaultStorePath, runId);
}

/** Returns the workspace of a run that named none, beside its journal. */
export function workspaceBeside(store: string, runId: string): string {
  return path.join(path.dirname(store), 'workspaces', runId);
}

function known(workspace: string): string {
  rememberAgentPlace(workspace, 'the workspace of a run');
  return workspace;
}

function makeTemporary(): string {
  try {
    return mkdtempSync(path.join(tmpdir(), 'cadre-workspace-'));
  } catch (thrown) {
    throw cannotMake(tmpdir(), thrown);
  }
}

function make(folder: string): string {
  if (folder === path.parse(folder).root)
    throw new CadreError('PATH_REFUSED', `the workspace must not be the whole disk (${folder}); name a folder with \`workspace\``);
  try {
    // New folders are private to their owner; existing ones keep their permissions.
    if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o700);
    return folder;
  } catch (thrown) {
    throw cannotMake(folder, thrown);
  }
}

function cannotMake(folder: string, thrown: unknown): CadreError {
  const message = `the workspace ${folder} cannot be made: ${describeThrown(thrown)}; name another with \`workspace\``;
  return new CadreError('PATH_REFUSED', message, { cause: thrown });
}
