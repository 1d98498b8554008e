import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { isWithin } from '../../files/is-within.ts';

/** Folders and request of a recorded run, from its journal and the note beside it. */
export interface RunPlaces {
  readonly runId: string;
  /** Workspace of the launch; one beside the journal when absent. */
  readonly workspace?: string | undefined;
  /** Values of its request, which settings of toolsets may use. */
  readonly request?: JsonObject | undefined;
  /** Run that it is a fork of. */
  readonly parentRun?: RunContext['meta']['parentRun'];
  /** Other folders it reads or writes. */
  readonly folders?: readonly (string | undefined)[];
}

/**
 * Returns the folders of a run outside the project of its journal, as distinct real paths. A journal may come from others: it is no
 * authority on folders outside its own, including those behind links.
 */
export async function foldersOutside(store: string, { runId, workspace, folders = [] }: RunPlaces): Promise<readonly string[]> {
  const beside = path.dirname(path.resolve(store));
  const project = await realFolder(path.basename(beside) === '.cadre' ? path.dirname(beside) : beside);
  const named = [workspace ?? path.join(beside, 'workspaces', runId), ...folders].filter((folder) => folder !== undefined);
  const real = await Promise.all(named.map(realFolder));
  const own = await realFolder(beside);
  const isInside = (folder: string): boolean => isWithin(project, folder) && !isEngineFolder(own, folder);
  return [...new Set(real)].filter((folder) => !isInside(folder)).toSorted();
}

/** True for folders of the engine below `.cadre`: runs may work only in workspaces, since the rest controls what runs may do. */
function isEngineFolder(beside: string, folder: string): boolean {
  if (path.basename(beside) !== '.cadre' || !isWithin(beside, folder)) return false;
  const workspaces = path.join(beside, 'workspaces');
  return folder === workspaces || !isWithin(workspaces, folder);
}

/** Returns the hash under which trust in a folder of recorded runs is remembered. */
export function folderHash(folder: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ version: 1, folder }))
    .digest('hex');
}

/** Resolves the real path of a folder; for a missing one, the path at which it would be created. */
export async function realFolder(folder: string): Promise<string> {
  const absolute = path.resolve(folder);
  const real = await realpath(absolute).catch(() => undefined);
  const parent = path.dirname(absolute);
  if (real !== undefined || parent === absolute) return real ?? absolute;
  return path.join(await realFolder(parent), path.basename(absolute));
}
