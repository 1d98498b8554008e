import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ProfileFile, ProfileSet } from '../../core/profile/profile.ts';
import { isWithin } from '../../files/is-within.ts';
import { bundledProfiles, bundledTeam, bundledTeams } from '../../profiles/files/bundled-teams.ts';
import { readPlainPrices } from '../../profiles/files/plain-prices.ts';
import { readProfileFiles } from '../../profiles/files/read-profile-files.ts';

/** True for the folder of a bundled team. */
export async function isBundledFolder(folder: string): Promise<boolean> {
  const [asked, bundled] = await Promise.all(
    [folder, bundledProfiles].map((name) => realpath(name).catch(() => path.resolve(name))),
  );
  if (asked === undefined || bundled === undefined) return false;
  return isWithin(bundled, asked);
}

/**
 * True for the profiles of a bundled team as a whole: read from its own folder, or, as a run of it recorded them, the same files in the same
 * order. Files of several teams together are another team.
 */
export async function isBundledSet({ files, folders }: Pick<ProfileSet, 'files' | 'folders'>): Promise<boolean> {
  if (folders !== undefined) {
    for (const folder of folders) if (!(await isBundledFolder(folder))) return false;
    return folders.length > 0;
  }
  const wanted = contentOf(files);
  for (const folder of [bundledProfiles, ...bundledTeams().flatMap((name) => bundledTeam(name) ?? [])])
    if (contentOf((await readProfileFiles([folder])).files) === wanted) return true;
  return false;
}

/** Returns names and texts in their order, which decides between files of the same name. Prices reach nothing, and recorded ones may be older. */
function contentOf(files: readonly ProfileFile[]): string {
  return JSON.stringify(
    files.flatMap(({ path: name, text }) => (readPlainPrices(text) === undefined ? [[path.posix.basename(name), text]] : [])),
  );
}
