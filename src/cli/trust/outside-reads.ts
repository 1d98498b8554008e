import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { isBundledFolder } from './bundled-files.ts';
import { isWithin } from '../../files/is-within.ts';
import { realFolder } from './run-folders.ts';

/** Folder or file that is read although it lies outside the folder of the team that causes it. */
export interface OutsideRead {
  /** Real path. */
  readonly place: string;
  /** Purpose, for people: `profiles`, `documents`. */
  readonly what: string;
  /** Hash under which consent is remembered: it holds for this place and this team only. */
  readonly hash: string;
}

/** Folder of a project's profiles: teams below it may include each other without a question. */
const projectProfiles = 'agent_profiles';

/**
 * Returns what a set of profiles reads outside its own folder: included teams except bundled ones, recordings, and the documents found
 * beside the folder. Judges real paths, so links count as the places they lead to.
 *
 * @param place folder or file of the profiles, as the user named it
 * @param docs documents that the user did not name
 */
export async function outsideReads(
  { folders = [], llmConfigs }: Pick<ProfileSet, 'folders' | 'llmConfigs'>,
  place: string,
  docs?: string,
): Promise<readonly OutsideRead[]> {
  const own = await ownFolderOf(place);
  const working = await realFolder('.');
  const found: OutsideRead[] = [];
  for (const folder of folders)
    if (!isWithin(own, folder) && !(await isBundledFolder(folder))) found.push(readFrom(own, folder, 'profiles'));
  for (const { name, recording } of llmConfigs.values()) {
    const file = recording === undefined ? working : await realFolder(recording);
    if (!isWithin(working, file)) found.push(readFrom(working, file, `recording of LLM config ${name}`));
  }
  if (docs !== undefined && (await isFarFrom(docs, place))) found.push(readFrom(own, await realFolder(docs), 'documents'));
  return found;
}

/**
 * True when documents beside a folder of profiles are neither in the working folder nor in the project of an `agent_profiles`: a team in
 * the working folder has no say over the folders beside it.
 */
export async function isFarFrom(docs: string, place: string): Promise<boolean> {
  return path.basename(path.resolve(place)) !== projectProfiles && !isWithin(await realFolder('.'), await realFolder(docs));
}

function readFrom(own: string, place: string, what: string): OutsideRead {
  const hash = createHash('sha256')
    .update(JSON.stringify({ version: 1, reads: place, from: own }))
    .digest('hex');
  return { place, what, hash };
}

/**
 * Returns where the folder of a team lies without its own links: the innermost `agent_profiles` it lies in, else the folder itself.
 * Links above the working folder, or above a folder named by its absolute path, belong to the user and are followed.
 */
async function ownFolderOf(place: string): Promise<string> {
  const named = path.resolve(place);
  const isFile = (await stat(named).catch(() => undefined))?.isFile() === true;
  const folder = isFile ? path.dirname(named) : named;
  const parts = folder.split(path.sep);
  const depth = parts.lastIndexOf(projectProfiles) + 1;
  const own = depth === 0 ? folder : parts.slice(0, depth).join(path.sep);
  const working = path.resolve('.');
  if (isWithin(working, own)) return path.join(await realFolder(working), path.relative(working, own));
  return path.join(await realFolder(path.dirname(own)), path.basename(own));
}
