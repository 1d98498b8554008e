import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { CadreError } from '../core/error.ts';
import { showPath } from './inside-path.ts';
import { isWithin } from './is-within.ts';

/** Where a path leads: a folder that is trusted to be what it seems, and the path below it, which has no links. */
export interface Place {
  /** Real path: the project the path lies in, or the deepest folder that exists. */
  readonly root: string;
  /** Clean path below the root, with `/` between its parts; empty for the root itself. */
  readonly file: string;
}

/** Options of `placeOf`. */
export interface PlaceOptions {
  /** Folders that count as projects, besides the working folder and every folder that holds `.git`, `.cadre` or `agent_profiles`. */
  readonly projects?: readonly string[];
  /** The place is that of the path itself, even when it is a link; for removing it. */
  readonly keepsLink?: boolean;
  /** The path is that of a folder: a link to another folder of its project is followed. */
  readonly isFolder?: boolean;
}

/**
 * Finds out where a path leads that a command reads or writes.
 *
 * 1. Links outside of projects are the user's: they are followed.
 * 2. Links in a project may have come with it. They are followed only as folders on the way, and only to other places of the project.
 * 3. The innermost project counts: the working folder, a folder that the caller names, or one with `.git`, `.cadre` or `agent_profiles`.
 *    A home folder is none, unless it is the working folder.
 *
 * The disk can change after the answer, so read and write the place through `useInside` and `writeInside`, which hold folders open.
 *
 * @throws CadreError `PATH_REFUSED` with the link and its target
 */
export function placeOf(named: string, { projects = [], keepsLink = false, isFolder = false }: PlaceOptions = {}): Place {
  const absolute = path.resolve(named);
  const test = projectTest([...workingFolder(), ...projects]);
  const parts = absolute.slice(path.parse(absolute).root.length).split(path.sep).filter(Boolean);
  let at = path.parse(absolute).root;
  let project = test(at) ? at : undefined;
  for (const [index, part] of parts.entries()) {
    const next = path.join(at, part);
    const rest = parts.slice(index + 1);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return place(project ?? at, path.join(next, ...rest));
    if (found.isSymbolicLink() && !(keepsLink && rest.length === 0)) {
      const target = targetOf(next);
      const isInside = project !== undefined && target !== undefined && (isFolder || rest.length > 0) && isWithin(project, target);
      if (target === undefined || (project !== undefined && !isInside)) throw refuseLink(named, { link: next, target, project });
      at = target;
      project = innermost(target, test) ?? project;
    } else at = next;
    if (rest.length > 0 && test(at)) project = at;
  }
  return place(project ?? path.dirname(at), at);
}

/**
 * Checks that a path that a file of a project names, such as that of a recording in a test, lies in the project of its folder.
 *
 * @throws CadreError `PATH_REFUSED`
 */
export function assertInProject(folder: string, named: string): void {
  const { root } = placeOf(path.join(folder, 'file'));
  const found = placeOf(named);
  if (isWithin(root, path.join(found.root, found.file))) return;
  const reason = `it lies outside the project ${showPlace(root)}`;
  throw new CadreError('PATH_REFUSED', `The path ${showPlace(named)} is refused: ${reason}. Copy the file into the project.`, {
    details: { path: showPlace(named), reason },
  });
}

/** Returns the working folder; nothing when it was removed, which concerns relative paths alone. */
function workingFolder(): readonly string[] {
  try {
    return [process.cwd()];
  } catch {
    return [];
  }
}

const markers = ['.git', '.cadre', 'agent_profiles'];

/** Creates the test for real paths of folders that are projects. */
function projectTest(named: readonly string[]): (folder: string) => boolean {
  const known = new Set(named.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder)));
  const home = targetOf(homedir());
  return (folder) => {
    if (folder === path.parse(folder).root) return false;
    return known.has(folder) || (folder !== home && markers.some((marker) => existsSync(path.join(folder, marker))));
  };
}

/** Returns the innermost project that a real path lies in, which is not that path itself. */
function innermost(real: string, test: (folder: string) => boolean): string | undefined {
  for (let folder = path.dirname(real); folder !== path.dirname(folder); folder = path.dirname(folder))
    if (test(folder)) return folder;
  return undefined;
}

function targetOf(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    // It leads nowhere, to itself, or to a place that may not be looked at.
    return undefined;
  }
}

function place(root: string, absolute: string): Place {
  return { root, file: path.relative(root, absolute).split(path.sep).join('/') };
}

function refuseLink(
  named: string,
  { link, target, project }: { readonly link: string; readonly target: string | undefined; readonly project: string | undefined },
): CadreError {
  const end = target ?? path.resolve(path.dirname(link), readlinkSync(link));
  const which = link === path.resolve(named) ? 'it' : showPlace(link);
  const reason = `${which} is a symbolic link to ${showPlace(end)}${target === undefined ? ', where nothing can be found' : ''}`;
  const why =
    project === undefined ? '' : ', and Cadre neither reads nor writes through links that a project may have brought along';
  const remedy = `Remove the link${target === undefined ? '' : ', or name the place it leads to'}.`;
  return new CadreError('PATH_REFUSED', `The path ${showPlace(named)} is refused: ${reason}${why}. ${remedy}`, {
    details: { path: showPlace(named), reason },
  });
}

/** Formats a path for people: relative to the working folder when it lies in it. */
export function showPlace(named: string): string {
  const relative = path.relative('', named);
  return showPath(relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? path.resolve(named) : relative);
}
