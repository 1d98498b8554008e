import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../is-within.ts';
import { ownNode } from './own-node.ts';

// Pure cache: this process runs from the same places all its life.
let places: readonly string[] | undefined;

/**
 * Returns what this process runs from, as real paths: Cadre's own code, the folders of packages that it loads from, and Node. It runs
 * outside every sandbox, and much of it is loaded late, so no agent may write it, even when it lies in a workspace: a project that has
 * Cadre installed, or a clone of Cadre.
 */
export function ownPlaces(): readonly string[] {
  if (places !== undefined) return places;
  // The folder `src` or `dist`, of which this process runs one.
  const code = path.join(import.meta.dirname, '..', '..');
  const root = path.dirname(code);
  const own = [code, path.join(root, 'bin'), path.join(root, 'package.json'), ...packagesAbove(root), ownNode()];
  return (places = [...new Set(own.filter((place) => existsSync(place)).map((place) => realpathSync(place)))]);
}

/** Returns the places of `ownPlaces` that a program with write access to these folders could change. */
export function ownPlacesIn(folders: readonly string[]): readonly string[] {
  return ownPlaces().filter((place) => folders.some((folder) => isWithin(folder, place)));
}

/** True when a change of this path would change what Cadre runs from: it lies in one of the places, or contains one. */
export function isOwnPlace(absolute: string): boolean {
  return ownPlaces().some((place) => isWithin(place, absolute) || isWithin(absolute, place));
}

/** Returns the folders that Node searches for packages, starting from a folder. */
export function packagesAbove(folder: string): readonly string[] {
  const here = path.join(folder, 'node_modules');
  const above = path.dirname(folder);
  return [...(existsSync(here) ? [here] : []), ...(above === folder ? [] : packagesAbove(above))];
}
