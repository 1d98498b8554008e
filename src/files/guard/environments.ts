import { lstatSync } from 'node:fs';
import path from 'node:path';
import { plainName } from '../plain-name.ts';
import type { RuledPlace } from './name-rules.ts';

/** File that makes a folder a virtual environment of Python. */
export const environmentFile = 'pyvenv.cfg';

/** Folders of a virtual environment. In a project that is itself one, only these are guarded. */
export const environmentFolders: ReadonlySet<string> = new Set(['bin', 'scripts', 'lib', 'lib64', 'include', 'share']);

/**
 * Returns the folder on the way to a file whose contents editors and shells run by themselves, whatever its name: a virtual environment of
 * Python, whose interpreter an editor starts to look at it, or the installed packages of Node, from which an editor loads linters.
 */
export function environmentOn(root: string, file: string): RuledPlace | undefined {
  const parts = file.split('/');
  const packages = parts.findIndex((part) => plainName(part) === 'node_modules');
  if (packages !== -1) return { place: parts.slice(0, packages + 1).join('/'), group: 'editors and shells' };
  for (let at = 0; at < parts.length; at += 1) {
    const folder = parts.slice(0, at).join('/');
    if (!isThere(path.join(root, folder, environmentFile))) continue;
    if (folder !== '') return { place: folder, group: 'editors and shells' };
    const first = parts[0] ?? '';
    if (environmentFolders.has(plainName(first))) return { place: first, group: 'editors and shells' };
  }
  return undefined;
}

function isThere(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below a file.
    return false;
  }
}
