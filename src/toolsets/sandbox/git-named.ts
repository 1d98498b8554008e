import { lstatSync } from 'node:fs';
import path from 'node:path';
import { gitPlaces, type GitUnknown } from '../../files/guard/git/git-places.ts';
import { toBytePath, toText, type BytePath } from './byte-path.ts';
import type { Scan } from './workspace-scan.ts';

/** Scan with the places that git's configuration names, wherever they lie in the workspace. */
export interface GuardedScan extends Scan {
  /** Absolute paths that git would open and that do not exist: they must not come to be. */
  readonly unmade: readonly string[];
  /** Repositories of which git could not say what it would run. */
  readonly unknown: readonly GitUnknown[];
}

/** Asks git what it would run in the repositories of a scan, and adds those files and folders to what the scan found. */
export async function withGitNamed(root: string, scan: Scan): Promise<GuardedScan> {
  const repositories = [...scan.autoRun].flatMap(([place, reader]) => {
    const absolute = path.join(root, toText(place));
    return path.basename(absolute) === '.git' ? [path.dirname(absolute)] : reader === 'git' ? [absolute] : [];
  });
  const { places, unknown } = await gitPlaces(root, repositories);
  const autoRun = new Map(scan.autoRun);
  const unmade: string[] = [];
  for (const { place, isPath } of places) {
    if (!place.startsWith(`${root}${path.sep}`)) continue;
    const relative = toBytePath(path.relative(root, place));
    if (isIn(autoRun, relative)) continue;
    if (isThere(place)) autoRun.set(relative, 'git');
    else if (isPath) unmade.push(place);
  }
  return { ...scan, autoRun, unmade, unknown };
}

/** True when a place, or a folder it lies in, was found already. */
function isIn(found: ReadonlyMap<BytePath, string>, place: BytePath): boolean {
  const parts = place.split('/');
  return parts.some((_part, at) => found.has(parts.slice(0, at + 1).join('/')));
}

function isThere(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below a file.
    return false;
  }
}
