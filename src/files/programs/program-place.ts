import { existsSync, lstatSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../is-within.ts';
import { agentPlaces, type AgentPlace } from './agent-places.ts';

/** File or folder on the way to a program. */
export interface Step {
  /** Absolute path without links above it. */
  readonly place: string;
  readonly stats: Stats;
}

/** Way to a program: every folder, link and file that decides what runs. */
export interface Trail {
  /** Path of the program: its folder without links, and the name that it is called by (some programs act by their name). */
  readonly path: string;
  /** Path without links. */
  readonly real: string;
  readonly steps: readonly Step[];
}

const maxLinks = 40;

/** Returns what is at a path; undefined for nothing, and for a word that can be no path, such as a long argument of a command. */
function statsAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Follows a path to a file, link by link; returns undefined when it leads nowhere. */
export function followTrail(file: string): Trail | undefined {
  const steps: Step[] = [];
  let left = partsOf(path.resolve(file));
  let at = path.parse(path.resolve(file)).root;
  let links = 0;
  let named: string | undefined;
  while (left.length > 0) {
    const [name = '', ...rest] = left;
    const place = path.resolve(at, name);
    const stats = statsAt(place);
    if (stats === undefined) return undefined;
    steps.push({ place, stats });
    if (rest.length === 0) named ??= place;
    if (stats.isSymbolicLink()) {
      links += 1;
      if (links > maxLinks) return undefined;
      const target = path.resolve(at, readlinkSync(place));
      left = [...partsOf(target), ...rest];
      at = path.parse(target).root;
    } else {
      left = rest;
      at = place;
    }
  }
  const last = steps.at(-1);
  return last === undefined || named === undefined ? undefined : { path: named, real: last.place, steps };
}

function partsOf(absolute: string): readonly string[] {
  return absolute.split(path.sep).filter((part) => part !== '');
}

/**
 * Returns why a program is not started from here: an agent, a project or another user could have put it there. Undefined for a place that
 * only its owner or the system can write.
 */
export function trailProblem({ steps }: Trail, places: readonly AgentPlace[] = agentPlaces()): string | undefined {
  for (const { place, stats } of steps) {
    const within = places.find((known) => isWithin(known.place, place));
    if (within !== undefined) return `${place} lies in ${within.what} (${within.place})`;
    const packages = packageFolderOf(place);
    if (packages !== undefined) return `${place} lies in ${packages}, which projects and packages fill`;
    const writers = writersOf(stats);
    if (writers !== undefined) return `${place} can be written by ${writers}`;
  }
  return undefined;
}

/** True when only root can replace a program: every folder and link on the way belongs to root, and this process is not root. */
export function isOfSystem({ steps }: Trail): boolean {
  return process.getuid !== undefined && process.getuid() !== 0 && steps.every(({ stats }) => stats.uid === 0);
}

/** Returns the folder of packages that a path lies in; undefined for those of a Node installation (`lib/node_modules` beside `bin/node`). */
function packageFolderOf(place: string): string | undefined {
  const parts = place.split(path.sep);
  for (const [index, spelled] of parts.entries()) {
    const name = spelled.toLowerCase();
    const folder = parts.slice(0, index + 1).join(path.sep);
    if (name === '.venv') return folder;
    if (name === 'node_modules' && !isOfNode(folder)) return folder;
  }
  return undefined;
}

function isOfNode(folder: string): boolean {
  const lib = path.dirname(folder);
  const above = path.dirname(lib);
  return (
    path.basename(lib) === 'lib' && !above.split(path.sep).includes('node_modules') && existsSync(path.join(above, 'bin', 'node'))
  );
}

/** Group of administrators on macOS, who own what Homebrew installs. */
const macAdmins = 80;

/** Returns other users who can write a file or folder; undefined when there are none. The mode of a link says nothing. */
function writersOf(stats: Stats): string | undefined {
  if (process.platform === 'win32' || stats.isSymbolicLink()) return undefined;
  if ((stats.mode & 0o002) !== 0) return 'every user';
  if ((stats.mode & 0o020) === 0 || isTrustedGroup(stats)) return undefined;
  // In a folder with the sticky bit, only the owner of an entry can replace it.
  return stats.isDirectory() && (stats.mode & 0o1000) !== 0 ? undefined : `the group ${stats.gid}`;
}

/** True for the group of root, of administrators on macOS, and the private group that many systems give each user. */
function isTrustedGroup({ gid, uid }: Stats): boolean {
  if (gid === 0 || (process.platform === 'darwin' && gid === macAdmins)) return true;
  return gid === uid && uid === process.getuid?.();
}
