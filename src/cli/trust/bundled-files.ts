import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { bundledProfiles } from '../../profiles/files/bundled-teams.ts';
import { readPlainPrices } from '../../profiles/files/plain-prices.ts';

/** True for the folder of a bundled team. */
export async function isBundledFolder(folder: string): Promise<boolean> {
  const [asked, bundled] = await Promise.all(
    [folder, bundledProfiles].map((name) => realpath(name).catch(() => path.resolve(name))),
  );
  if (asked === undefined || bundled === undefined) return false;
  const relative = path.relative(bundled, asked);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}

/** True when all files are identical to bundled ones, as those recorded by a run of a bundled team are. */
export async function areBundledFiles(files: readonly ProfileFile[]): Promise<boolean> {
  const entries = await readdir(bundledProfiles, { recursive: true, withFileTypes: true }).catch(() => []);
  const texts = new Set<string>();
  for (const entry of entries) if (entry.isFile()) texts.add(await readFile(path.join(entry.parentPath, entry.name), 'utf8'));
  // Prices reach nothing, and recorded ones may be older than the bundled ones.
  return files.length > 0 && files.every(({ text }) => texts.has(text) || readPlainPrices(text) !== undefined);
}
