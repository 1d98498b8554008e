import { tmpdir } from 'node:os';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import { makeFolders, makeFoldersInside } from '../../files/make-folder.ts';
import { placeOf } from '../../files/project-place.ts';
import { makeTempFolder } from '../../files/temp-folder.ts';
import type { Journal } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { rememberAgentPlace } from '../../files/programs/agent-places.ts';
import { defaultStorePath, journalFile } from '../recovery/open-store.ts';

/** Workspace of runs: one folder for all of them, or a function from run id to folder. */
export type WorkspaceOption = string | ((runId: string) => string);

/**
 * Returns the workspace of a run: the folder it was launched with, else the engine's, else a separate one beside the journal (for a journal
 * in memory, in the folder for temporary files). It is created when a tool first asks for it.
 */
export function createWorkspaces(
  option: WorkspaceOption | undefined,
  store: string | Journal | undefined,
): (meta: Pick<RunContext['meta'], 'runId' | 'workspace'>) => () => string {
  return (meta) => {
    let made: string | undefined;
    const named = meta.workspace ?? (typeof option === 'function' ? option(meta.runId) : option);
    if (named !== undefined) return () => (made ??= known(make(path.resolve(named))));
    // A run in memory uses a temporary folder with an unpredictable name.
    if (store === 'memory') return () => (made ??= known(makeTemporary()));
    return () => (made ??= known(makeBeside(journalFile(store) ?? defaultStorePath, meta.runId)));
  };
}

/** Returns the workspace of a run that named none, beside its journal. */
export function workspaceBeside(store: string, runId: string): string {
  return path.join(path.dirname(store), 'workspaces', runId);
}

/** Makes such a workspace. No user named it, so no link may lead there: a project may come with a journal and its runs. */
function makeBeside(store: string, runId: string): string {
  const named = workspaceBeside(path.resolve(store), runId);
  try {
    const { root, file } = placeOf(named);
    return makeFoldersInside(root, file.split('/'), 0o700);
  } catch (thrown) {
    throw cannotMake(named, thrown);
  }
}

function known(workspace: string): string {
  rememberAgentPlace(workspace, 'the workspace of a run');
  return workspace;
}

function makeTemporary(): string {
  try {
    return makeTempFolder('workspace');
  } catch (thrown) {
    throw cannotMake(tmpdir(), thrown);
  }
}

function make(folder: string): string {
  if (folder === path.parse(folder).root)
    throw new CadreError('PATH_REFUSED', `the workspace must not be the whole disk (${folder}); name a folder with \`workspace\``);
  try {
    // New folders are private to their owner; existing ones keep their permissions.
    makeFolders(folder, 0o700);
    return folder;
  } catch (thrown) {
    throw cannotMake(folder, thrown);
  }
}

function cannotMake(folder: string, thrown: unknown): CadreError {
  const why = thrown instanceof CadreError ? thrown.message : describeThrown(thrown);
  const message = `the workspace ${folder} cannot be made: ${why}; name another with \`workspace\``;
  return new CadreError('PATH_REFUSED', message, { cause: thrown });
}
