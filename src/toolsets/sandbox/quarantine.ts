import { randomBytes } from 'node:crypto';
import { CadreError } from '../../core/error.ts';
import { autoRunFiles } from '../../files/guard/auto-run-files.ts';
import { renameHeld, type HeldEntry } from '../../files/change-inside.ts';
import { errorCode } from '../../files/error-code.ts';
import { withOpenFolder, type OpenFolder } from '../../files/open-folder.ts';
import { lookAt } from '../../files/write-inside.ts';
import { toText, type BytePath } from './byte-path.ts';

/** Folder that keeps planted files for a person to look at. */
const quarantineFolder = '.cadre/quarantine';
const suffix = '.quarantined';

/**
 * Moves a file or folder of a workspace to a place where no program reads it: into `.cadre/quarantine`, or, when that lies on another
 * disk, to another name beside it. For a folder that git accepts as a repository because of its contents, moves only its `HEAD`, without
 * which it is no repository. Holds the folders on the way open, so that a command that still runs cannot redirect the move.
 *
 * Returns the new path, relative to the root; undefined when the file is gone already, or cannot be moved.
 */
export async function quarantine(root: string, place: BytePath): Promise<string | undefined> {
  const isNamed = autoRunFiles.placeIn(toText(place))?.place === toText(place);
  const parts =
    isNamed || (await isNoRepository(root, place)) ? place.split('/') : [...(place === '.' ? [] : place.split('/')), 'HEAD'];
  const name = parts.at(-1) ?? '';
  const batch = `${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`;
  const folders = [...quarantineFolder.split('/'), batch];
  const kept = `${parts
    .join('__')
    .replace(/[^\w.-]/g, '_')
    .slice(-150)}${suffix}`;
  const request = { root, requested: toText(place), what: 'the workspace', encoding: 'latin1' } as const;
  try {
    return await withOpenFolder({ ...request, parts: parts.slice(0, -1) }, async (from) => {
      if ((await lookAt(from.at(name))) === undefined) return undefined;
      const moved = await withOpenFolder(
        { ...request, parts: folders, create: true, folderMode: 0o700 },
        async (to) => (await renamed({ folder: from, name }, { folder: to, name: kept })) && (await disarm(to, kept), true),
      );
      if (moved) return [...folders, kept].join('/');
      const beside = `${name}.${batch}${suffix}`;
      await renameHeld({ folder: from, name }, { folder: from, name: beside });
      return toText([...parts.slice(0, -1), beside].join('/'));
    });
  } catch (error) {
    if (error instanceof CadreError || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** True for a place that contains no `HEAD`: a link on the way to an auto-run file, or a place that git's configuration names. */
async function isNoRepository(root: string, place: BytePath): Promise<boolean> {
  if (place === '.') return false;
  const parts = place.split('/');
  const name = parts.pop() ?? '';
  const request = { root, parts, requested: toText(place), what: 'the workspace', encoding: 'latin1' } as const;
  try {
    return await withOpenFolder(request, async (folder) => {
      const found = await lookAt(folder.at(name));
      return found !== undefined && (!found.isDirectory() || (await lookAt(folder.at(`${name}/HEAD`))) === undefined);
    });
  } catch (error) {
    if (error instanceof CadreError || errorCode(error) !== undefined) return false;
    throw error;
  }
}

/** Renames a file; returns false when the places lie on different disks. */
async function renamed(from: HeldEntry, to: HeldEntry): Promise<boolean> {
  try {
    await renameHeld(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EXDEV') return false;
    throw error;
  }
}

/** Makes a quarantined repository unusable, so that programs which look at it there do not run its hooks and configuration. */
async function disarm(folder: OpenFolder, name: string): Promise<void> {
  const head = folder.at(`${name}/HEAD`);
  if ((await lookAt(folder.at(name)))?.isDirectory() === true && (await lookAt(head)) !== undefined)
    await renameHeld({ folder, name: `${name}/HEAD` }, { folder, name: `${name}/HEAD${suffix}` });
}
