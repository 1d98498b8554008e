import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../../core/json.ts';

/** Where a run on record works, as its journal and what lies beside it say. */
export interface RunPlaces {
  readonly runId: string;
  /** The workspace it was launched with; one beside the journal when absent. */
  readonly workspace?: string | undefined;
  /** The values of its request, which settings of toolsets may take. */
  readonly request?: JsonObject | undefined;
  /** Other folders it reads or writes. */
  readonly folders?: readonly (string | undefined)[];
}

/**
 * The folders of a run that lie outside the project of its journal, as real paths without repetitions. A journal comes with its folder:
 * what it says of any other one, also by way of a link, is not the word of who uses it.
 */
export async function foldersOutside(store: string, { runId, workspace, folders = [] }: RunPlaces): Promise<readonly string[]> {
  const beside = path.dirname(path.resolve(store));
  const project = await realFolder(path.basename(beside) === '.cadre' ? path.dirname(beside) : beside);
  const named = [workspace ?? path.join(beside, 'workspaces', runId), ...folders].filter((folder) => folder !== undefined);
  const real = await Promise.all(named.map(realFolder));
  const own = await realFolder(beside);
  const isInside = (folder: string): boolean => isBelow(project, folder) && !isEnginesOwn(own, folder);
  return [...new Set(real)].filter((folder) => !isInside(folder)).toSorted();
}

/** Below `.cadre` runs work in workspaces alone: what else lies there says what runs may do. */
function isEnginesOwn(beside: string, folder: string): boolean {
  if (path.basename(beside) !== '.cadre' || !isBelow(beside, folder)) return false;
  const workspaces = path.join(beside, 'workspaces');
  return folder === workspaces || !isBelow(workspaces, folder);
}

/** By what it is remembered that runs on record may work in a folder. */
export function folderHash(folder: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ version: 1, folder }))
    .digest('hex');
}

/** Where a folder really lies; one that is missing, where it would be made. */
export async function realFolder(folder: string): Promise<string> {
  const absolute = path.resolve(folder);
  const real = await realpath(absolute).catch(() => undefined);
  const parent = path.dirname(absolute);
  if (real !== undefined || parent === absolute) return real ?? absolute;
  return path.join(await realFolder(parent), path.basename(absolute));
}

/** Tells whether a folder is another one, or lies below it; both are absolute. */
export function isBelow(folder: string, inner: string): boolean {
  const relative = path.relative(folder, inner);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}
