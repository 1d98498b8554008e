import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';

/** Lockfiles of npm, in the order in which npm prefers them. */
const lockfiles = ['npm-shrinkwrap.json', 'package-lock.json'] as const;

/**
 * Returns what the lockfile of npm says of an installed package (version, source, integrity) as JSON; empty without a lockfile, or when it
 * does not list the package. Files of packages are compared by content in any case.
 */
export async function lockedAt(root: string): Promise<string> {
  for (let folder = path.dirname(root); ; folder = path.dirname(folder)) {
    for (const name of lockfiles) {
      const text = await readFile(path.join(folder, name), 'utf8').catch(() => undefined);
      if (text !== undefined) return entryOf(text, path.relative(folder, root).replaceAll(path.sep, '/'));
    }
    if (path.dirname(folder) === folder) return '';
  }
}

function entryOf(lockfile: string, place: string): string {
  try {
    const read: unknown = readJson(lockfile);
    const packages = isJsonObject(read) ? read['packages'] : undefined;
    const entry = isJsonObject(packages) ? packages[place] : undefined;
    if (!isJsonObject(entry)) return '';
    return JSON.stringify([entry['version'] ?? '', entry['resolved'] ?? '', entry['integrity'] ?? '']);
  } catch {
    // A damaged lockfile says nothing; the contents are compared.
    return '';
  }
}
