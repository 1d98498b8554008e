import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { followTrail, isOfSystem, trailProblem, type Trail } from './program-place.ts';

/** Program that may be started outside a sandbox. */
export interface FoundProgram {
  readonly name: string;
  /** Absolute path; no folder in it is a link. */
  readonly path: string;
  /** Path without any link. */
  readonly real: string;
}

/** Candidate that is not started, and why. */
export interface RefusedProgram {
  readonly path: string;
  readonly why: string;
}

/** Result of a search. */
export interface ProgramSearch {
  readonly found?: FoundProgram;
  readonly refused: readonly RefusedProgram[];
  /** Folders that were searched, in order. */
  readonly folders: readonly string[];
}

/** Where to search for a program. */
export interface SearchPlaces {
  /**
   * `path`: folders of PATH; `system`: folders that only root fills; `both`: folders of PATH, and those of the system in place of candidates
   * that were refused, or when PATH is empty.
   */
  readonly in: 'path' | 'system' | 'both';
  /** PATH to search instead of that of this process. */
  readonly path?: string | undefined;
  /** Leaves out programs for which this returns false, such as those that a sandbox hides. */
  readonly usable?: ((place: string) => boolean) | undefined;
}

/** Folders that only root fills, on the systems Cadre runs on. */
export const systemProgramFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'] as const;

/** Identity of a program that was found, by which a replaced one is recognised. */
interface Kept {
  readonly program: FoundProgram;
  readonly identity: string;
  /** False for a program at a place that a person named, wherever that is. */
  readonly isPlaced: boolean;
}

// Pure cache: what a name means on a PATH is decided once; each later use checks that the program is still the same.
const kept = new Map<string, Kept>();
// Not state of a run: paths of programs that this process found and may start.
const accepted = new Map<string, Kept>();

/**
 * Finds a program outside everything that an agent, a project or an installer of packages can write. The first answer holds for the life
 * of this process: a program that was replaced since is refused.
 *
 * @throws CadreError `DEPENDENCY_MISSING` naming the folders searched, the refused candidates and the remedy
 */
export function findProgram(name: string, places: SearchPlaces = { in: 'path' }): FoundProgram {
  const search = searchProgram(name, places);
  if (search.found !== undefined) return search.found;
  throw new CadreError('DEPENDENCY_MISSING', `${missingProgram(name, search)}.`);
}

/** Finds a program like `findProgram`, and returns the refused candidates too. */
export function searchProgram(name: string, places: SearchPlaces = { in: 'path' }): ProgramSearch {
  const folders = foldersOf(places);
  const search = searchFolders(name, folders, places);
  if (places.in !== 'both' || search.found !== undefined || (search.refused.length === 0 && folders.length > 0)) return search;
  const instead = searchFolders(name, systemProgramFolders, places);
  return {
    ...instead,
    refused: [...search.refused, ...instead.refused],
    folders: [...new Set([...folders, ...systemProgramFolders])],
  };
}

function searchFolders(name: string, folders: readonly string[], places: SearchPlaces): ProgramSearch {
  const key = JSON.stringify([name, folders]);
  const known = kept.get(key);
  if (known !== undefined && places.usable === undefined) {
    const change = changeOf(known);
    if (change !== undefined) return { refused: [{ path: known.program.path, why: change }], folders };
    if (placeProblem(known) === undefined) return { found: known.program, refused: [], folders };
    // An agent can write there only now: another one serves.
    kept.delete(key);
  }
  const refused: RefusedProgram[] = [];
  for (const folder of folders) {
    if (!path.isAbsolute(folder)) {
      const file = path.resolve(folder, name);
      if (candidate(file) !== undefined)
        refused.push({ path: file, why: `PATH names its folder relative to the current one (${JSON.stringify(folder)})` });
      continue;
    }
    const trail = candidate(path.join(folder, name));
    if (trail === undefined) continue;
    const why = mayRun(trail.real) ? trailProblem(trail) : 'it may not be run; is it executable?';
    if (why !== undefined) refused.push({ path: trail.path, why });
    else if (places.usable !== undefined && !(places.usable(trail.path) && places.usable(trail.real)))
      refused.push({ path: trail.path, why: 'the sandbox hides it (name its folder in `read`)' });
    else {
      const found = keep(name, trail);
      const change = changeOf(found);
      if (change !== undefined) return { refused: [...refused, { path: trail.path, why: change }], folders };
      if (places.usable === undefined) kept.set(key, found);
      return { found: found.program, refused, folders };
    }
  }
  return { refused, folders };
}

/** Describes a program that cannot be started: the refused candidates with their reasons, and the folders searched. */
export function missingProgram(name: string, { refused, folders }: ProgramSearch): string {
  const searched = folders.length === 0 ? 'PATH is empty' : `searched ${folders.map((folder) => folder || '""').join(', ')}`;
  if (refused.length === 0) return `${name} was not found (${searched})`;
  const whys = refused.map(({ path: place, why }) => `${place} is not started, since ${why}`);
  return `${name} was not found where no agent and no project can write: ${whys.join('; ')} (${searched}). Install it for the system, or remove that folder from PATH`;
}

/**
 * Checks the program of a command line just before it is started.
 *
 * @throws CadreError `INTERNAL` for a path that was never found by this module; `DEPENDENCY_MISSING` for a program that was replaced
 */
export function assertFound(place: string): void {
  const known = accepted.get(place);
  if (known === undefined) throw new CadreError('INTERNAL', `the program ${place} was not looked up before it was started`);
  const problem = changeOf(known) ?? placeProblem(known);
  if (problem !== undefined) throw new CadreError('DEPENDENCY_MISSING', `${place} is not started, since ${problem}.`);
}

/** Accepts a program at a path that does not come from PATH, without a check of its place; it must stay the same from now on. */
export function keepProgram(name: string, trail: Trail): FoundProgram {
  return keep(name, trail, false).program;
}

function keep(name: string, trail: Trail, isPlaced = true): Kept {
  const known = accepted.get(trail.path);
  // The first identity holds: the same path must not become another program by being found again.
  const entry = known ?? { program: { name, path: trail.path, real: trail.real }, identity: identityOf(trail), isPlaced };
  accepted.set(trail.path, entry);
  return entry;
}

/** Returns why a program that was found is not the same any more; undefined when it is. */
function changeOf({ program, identity }: Kept): string | undefined {
  const trail = followTrail(program.path);
  if (trail === undefined) return 'it is gone';
  // An update of the system replaces programs of a server that runs on; no agent can do that.
  if (identityOf(trail) === identity || isOfSystem(trail)) return undefined;
  return 'it was replaced since Cadre first found it (start Cadre again if you did that)';
}

/** Returns why the place of a program that was found is not accepted any more: since then, an agent can write there. */
function placeProblem({ program, isPlaced }: Kept): string | undefined {
  const trail = isPlaced ? followTrail(program.path) : undefined;
  return trail === undefined ? undefined : trailProblem(trail);
}

/** Returns a text that changes whenever the program, or a link that leads to it, is replaced or written. */
function identityOf({ path: place, real, steps }: Trail): string {
  const stats = steps.at(-1)?.stats;
  return [place, real, stats?.dev, stats?.ino, stats?.size, stats?.mtimeMs, stats?.ctimeMs].join(':');
}

function foldersOf({ in: where, path: given }: SearchPlaces): readonly string[] {
  if (where === 'system') return systemProgramFolders;
  const searchPath = given ?? process.env['PATH'] ?? '';
  // An empty entry means the current folder, but an empty PATH has no entries.
  return searchPath === '' ? [] : [...new Set(searchPath.split(path.delimiter))];
}

/** Returns the way to the file that a name in a folder means; undefined when there is no file. */
function candidate(file: string): Trail | undefined {
  const endings = process.platform === 'win32' ? ['', ...(process.env['PATHEXT'] ?? '.EXE;.CMD').split(';')] : [''];
  for (const ending of endings) {
    const trail = followTrail(file + ending);
    if (trail?.steps.at(-1)?.stats.isFile() === true) return trail;
  }
  return undefined;
}

/** True when this user may run a file. */
export function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
