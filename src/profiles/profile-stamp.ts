import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bundledTeam } from './files/bundled-teams.ts';
import { maxFiles } from './files/file-limits.ts';
import { includesOf, isTeamFolder } from './files/team-file.ts';

const maxFolderDepth = 16;

/**
 * Returns a text that changes when a profile file below a folder, or of an included team, is written, added or removed. It is
 * built from names, sizes and times, without reading files; unreadable files count as missing.
 */
export async function profileStamp(input: string): Promise<string> {
  const stamps: string[] = [];
  await addInput(input, stamps, new Set());
  return stamps.join('\n');
}

async function addInput(input: string, stamps: string[], seen: Set<string>): Promise<void> {
  if (seen.has(input)) return;
  seen.add(input);
  const names = await readdir(input).catch(() => undefined);
  if (names === undefined) return await addFile(input, stamps);
  if (isTeamFolder(names))
    for (const include of await includesOf(input)) await addInput(bundledTeam(include) ?? join(input, include), stamps, seen);
  await addFolder(input, names, { stamps, depth: 0 });
}

async function addFolder(
  folder: string,
  names: readonly string[],
  { stamps, depth }: { readonly stamps: string[]; readonly depth: number },
): Promise<void> {
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules' || stamps.length > maxFiles) continue;
    const path = join(folder, name);
    if (/\.(?:ya?ml|json)$/i.test(name)) {
      await addFile(path, stamps);
      continue;
    }
    const below = depth < maxFolderDepth ? await readdir(path).catch(() => undefined) : undefined;
    if (below !== undefined && !isTeamFolder(below)) await addFolder(path, below, { stamps, depth: depth + 1 });
  }
}

async function addFile(path: string, stamps: string[]): Promise<void> {
  const info = await stat(path).catch(() => undefined);
  stamps.push(info === undefined ? `${path} gone` : `${path} ${info.mtimeMs} ${info.size} ${info.ino}`);
}
