import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly license?: string;
}

const lockfile = path.join(import.meta.dirname, '..', '..', 'package-lock.json');

/** The packages that come with `npm install cadre`, by their place below the root: dependencies of dependencies, and peers they demand. */
export function hardPackages(): ReadonlyMap<string, Locked> {
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as { readonly packages: Readonly<Record<string, Locked>> };
  const found = new Map<string, Locked>();
  const add = (place: string, names: readonly string[]): void => {
    for (const name of names) {
      const at = placeOf(packages, place, name);
      const locked = packages[at];
      if (locked === undefined) throw new Error(`${name}, which ${place} needs, is not in the lockfile`);
      if (found.has(at)) continue;
      found.set(at, locked);
      const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = locked;
      const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
      add(at, [...Object.keys(dependencies), ...peers]);
    }
  };
  add('', Object.keys(packages['']?.dependencies ?? {}));
  return found;
}

/** Returns the place where Node resolves a package from another package's place. */
function placeOf(packages: Readonly<Record<string, Locked>>, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const at = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (folder === '' || packages[at] !== undefined) return at;
  }
}
