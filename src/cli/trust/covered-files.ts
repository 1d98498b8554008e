import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isJsonObject } from '../../core/json.ts';
import type { ProfileFile, ProfileSet } from '../../core/profile/profile.ts';
import { labelOf } from '../../profiles/files/read-profile-files.ts';

/** File that an agreement covers. */
export interface CoveredFile {
  /** Path as people know it; the same however the folder is named. */
  readonly path: string;
  /** SHA-256 of the content, in hexadecimal. */
  readonly hash: string;
  /** Text, for comparisons; absent for a file that is not read whole. */
  readonly text?: string;
}

/**
 * Returns every file that a set of profiles is made of, as it was read, and the recordings that it names. Code, packages and the
 * programs and scripts of commands are part of its reach.
 *
 * @param place folder of the profiles, as the user named it
 * @param also files that the command reads besides, such as an eval's suite
 */
export async function coveredFiles(
  { files, llmConfigs }: Pick<ProfileSet, 'files' | 'llmConfigs'>,
  place: string,
  also: readonly ProfileFile[] = [],
): Promise<readonly CoveredFile[]> {
  const label = `${labelOf(place)}/`;
  const own = [...files, ...also].map(({ path: name, text }): CoveredFile => {
    const inside = name.startsWith(label) ? name.slice(label.length) : name;
    return { path: inside, text, hash: createHash('sha256').update(text).digest('hex') };
  });
  const named = [...llmConfigs.values()].flatMap(({ recording }) => recording ?? []);
  const found: CoveredFile[] = [];
  for (const name of new Set(named)) {
    const hash = await hashOfFile(name);
    if (hash !== undefined) found.push({ path: name, hash });
  }
  return [...own, ...found].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function hashOfFile(name: string): Promise<string | undefined> {
  const isFile = await stat(name).then(
    (info) => info.isFile(),
    () => false,
  );
  if (!isFile) return undefined;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(name), hash);
    return hash.digest('hex');
  } catch {
    // What uses the file reports why it cannot be read.
    return undefined;
  }
}

/** True when a value is a covered file as it is stored. */
export function isCoveredFile(value: unknown): value is CoveredFile {
  return isJsonObject(value) && typeof value['path'] === 'string' && typeof value['hash'] === 'string';
}
