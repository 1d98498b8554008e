import { rename, rm, rmdir } from 'node:fs/promises';
import { CadreError } from '../core/error.ts';
import { anything } from './anything.ts';
import { errorCode } from './error-code.ts';
import { assertMayWrite, guardFolderMove, guardWrite } from './guard/guard-writes.ts';
import { refusePath } from './inside-path.ts';
import { withOpenFolder, type FolderRequest, type OpenFolder } from './open-folder.ts';
import type { InsideFile } from './read-inside.ts';
import { lookAt } from './write-inside.ts';

/**
 * Removes a file or an empty folder below a root; of a link, the link itself and never its target. Returns false when nothing is there.
 *
 * @throws CadreError `PATH_REFUSED` for links on the way and auto-run files; `TOOL_FAILED` for a folder that is not empty
 */
export async function removeInside(removed: InsideFile): Promise<boolean> {
  const { root, file, what } = removed;
  if (removed.allows !== anything) await assertMayWrite(removed);
  const { parts, name } = split(file);
  return await withOpenFolder({ root, parts, requested: file, what }, async (folder) => {
    const found = await lookAt(folder.at(name));
    if (found === undefined) return false;
    if (!found.isDirectory()) await rm(folder.at(name), { force: true });
    else
      await rmdir(folder.at(name)).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOTEMPTY') throw error;
        throw new CadreError(
          'TOOL_FAILED',
          `${JSON.stringify(file)} is a folder with something in it. Delete what is in it first.`,
        );
      });
    return true;
  });
}

/**
 * Moves a file or folder to another path below the same root and creates the folders on the way. `lookInside` may refuse a folder because
 * of its contents; no other tool writes between that check and the move.
 *
 * @throws CadreError `PATH_REFUSED` for links and auto-run files; `TOOL_FAILED` when there is nothing to move or the new name is taken
 */
export async function moveInside(moved: InsideFile, to: string, lookInside?: () => Promise<void>): Promise<void> {
  await assertMayWrite({ ...moved, isMoved: true });
  const target = { ...moved, file: to, isMoved: true };
  if (lookInside === undefined) return await guardWrite(target, async () => await move(moved, to, false));
  await guardFolderMove(target, async () => {
    await lookInside();
    await move(moved, to, true);
  });
}

async function move({ root, file, what }: InsideFile, to: string, isChecked: boolean): Promise<void> {
  const source = split(file);
  const target = split(to);
  const request = (parts: readonly string[], requested: string, create: boolean): FolderRequest => ({
    root,
    parts,
    requested,
    what,
    create,
  });
  await withOpenFolder(request(source.parts, file, false), async (from) => {
    const found = await lookAt(from.at(source.name));
    if (found === undefined) throw new CadreError('TOOL_FAILED', `${JSON.stringify(file)} does not exist.`);
    if (found.isSymbolicLink()) throw refusePath(file, 'it is a symbolic link', what);
    if (found.isDirectory() && !isChecked)
      throw new CadreError('TOOL_FAILED', `${JSON.stringify(file)} has just become a folder. Move it again, if that is meant.`);
    await withOpenFolder(request(target.parts, to, true), async (into) => {
      if ((await lookAt(into.at(target.name))) !== undefined)
        throw new CadreError('TOOL_FAILED', `${JSON.stringify(to)} exists already. Delete it first, or choose another name.`);
      await rename(from.at(source.name), into.at(target.name));
    });
  });
}

/** Entry of a folder that is held open. */
export interface HeldEntry {
  readonly folder: OpenFolder;
  readonly name: string;
}

/** Renames an entry of one open folder to another of the same or another one, over what is there. */
export async function renameHeld(from: HeldEntry, to: HeldEntry): Promise<void> {
  await rename(from.folder.at(from.name), to.folder.at(to.name));
}

function split(file: string): { readonly parts: readonly string[]; readonly name: string } {
  const parts = file.split('/');
  return { parts: parts.slice(0, -1), name: parts.at(-1) ?? '' };
}
