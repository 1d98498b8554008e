import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CadreError } from '../../core/error.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import { errorCode } from '../../files/error-code.ts';
import { isEngineJournal, isEngineMail, isEngineProfile } from '../../files/guard/engine-places.ts';
import { assertMayWrite } from '../../files/guard/guard-writes.ts';
import { refusePath } from '../../files/inside-path.ts';
import type { InsideFile } from '../../files/read-inside.ts';
import { resolveInside, type InsidePath } from '../../files/resolve-inside.ts';
import { isOwnPlace } from '../../files/programs/own-places.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

/** Name of the folder in messages. */
export const workspaceName = 'the workspace';

/** Workspace and settings of a call that reads files. */
export interface ReadContext {
  readonly workspace: string;
  readonly settings: WorkspaceSettings;
  readonly signal: AbortSignal;
}

/** Limits on reading. */
export type ReadBounds = Pick<WorkspaceSettings, 'isUnreadable'>;

/**
 * Resolves a path of an existing file or folder that a tool may read.
 *
 * @throws CadreError `PATH_REFUSED`; `TOOL_FAILED` when nothing is there
 */
export async function readablePath(workspace: string, requested: string, settings: WorkspaceSettings): Promise<InsidePath> {
  const inside = await resolveReadable(workspace, requested, settings);
  if (inside.found === 'missing') throw await missing(inside);
  return inside;
}

/**
 * Resolves a path that a tool may read, existing or not.
 *
 * @throws CadreError `PATH_REFUSED`
 */
export async function resolveReadable(workspace: string, requested: string, { isUnreadable }: ReadBounds): Promise<InsidePath> {
  const inside = await resolveInside(workspace, requested, workspaceName);
  if (isUnreadable(inside.path) || isEngineJournal(inside.absolute))
    throw refusePath(requested, 'such files may hold secrets and are not read', workspaceName);
  return inside;
}

/**
 * Resolves a path that a tool may write, existing or not.
 *
 * @throws CadreError `PATH_REFUSED`
 */
export async function writablePath(workspace: string, requested: string, settings: WorkspaceSettings): Promise<InsidePath> {
  const inside = await resolveInside(workspace, requested, workspaceName);
  if (inside.path === '') throw refusePath(requested, 'it is the workspace itself', workspaceName);
  if (settings.protectsProfiles && isEngineProfile(inside.absolute))
    throw refusePath(
      requested,
      'it lies in the folder with the profiles of the team, which no tool changes (a workspace outside of that folder can be written)',
      workspaceName,
    );
  if (isOwnPlace(inside.absolute))
    throw refusePath(requested, 'Cadre itself runs from there, outside every sandbox', workspaceName);
  if (isProtected(inside.absolute, inside.path, settings))
    throw refusePath(requested, 'it is protected: programs take settings or secrets from such files', workspaceName);
  await assertMayWrite({ root: inside.root, file: inside.path, allows: settings.allows });
  return inside;
}

/** True when a file must not be changed, because of its name or its place. */
export function isProtected(absolute: string, path: string, settings: WorkspaceSettings): boolean {
  const { protectsProfiles } = settings;
  return (
    settings.isProtected(path) ||
    isEngineJournal(absolute) ||
    isEngineMail(absolute) ||
    isOwnPlace(absolute) ||
    (protectsProfiles && isEngineProfile(absolute))
  );
}

/** Converts a resolved path to the form that the functions of `files` take. */
export function insideFile({ root, path }: InsidePath, settings?: Pick<WorkspaceSettings, 'allows'>): InsideFile {
  return { root, file: path, what: workspaceName, ...(settings === undefined ? {} : { allows: settings.allows }) };
}

/** Creates the error for a missing file, with the name that was perhaps meant. */
export async function missing({ path, absolute }: InsidePath): Promise<CadreError> {
  const names = await readdir(dirname(absolute)).catch((error: unknown) => {
    if (errorCode(error) !== undefined) return [];
    throw error;
  });
  const name = path.slice(path.lastIndexOf('/') + 1);
  const close = closestName(name, names);
  const hint =
    close === undefined
      ? 'list_files shows what there is.'
      : `Did you mean ${JSON.stringify(`${path.slice(0, -name.length)}${close}`)}?`;
  return new CadreError('TOOL_FAILED', `${JSON.stringify(path)} does not exist. ${hint}`);
}

/** Formats a size in bytes for people. */
export function showSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

const diskReasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist (any more)',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'a name in it is too long',
  EINVAL: 'a folder cannot be moved into itself',
  EXDEV: 'it lies on another disk; write it there and delete it here',
};

/** Runs work on a file; converts system errors to `TOOL_FAILED` errors that the model can act on. */
export async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof CadreError || code === undefined) throw error;
    throw new CadreError('TOOL_FAILED', `${JSON.stringify(path)}: ${diskReasons[code] ?? `the disk refused (${code})`}.`, {
      cause: error,
    });
  }
}
