import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { isWithin } from '../is-within.ts';

/** Folder or file that an agent of this process can write, or that other people's files fill. */
export interface AgentPlace {
  /** Real path. */
  readonly place: string;
  /** Noun for messages: "the workspace of a run". */
  readonly what: string;
}

// Not state of a run: places that agents of this process can write, by real path. Only grows.
const known = new Map<string, string>();

/** Registers a place that an agent can write: from now on, no program from there is started outside a sandbox. */
export function rememberAgentPlace(place: string, what: string): void {
  const real = realPath(place);
  if (!known.has(real)) known.set(real, what);
}

/** Registers a folder with profiles, and the git worktree it belongs to, as a project: its files are other people's, or an agent's. */
export function rememberProject(folder: string): void {
  for (const { place, what } of projectAt(folder)) known.set(place, known.get(place) ?? what);
}

/** Returns all places from which no program is started: known ones, the project in the working folder, and folders for temporary files. */
export function agentPlaces(): readonly AgentPlace[] {
  const registered = [...known].map(([place, what]) => ({ place, what }));
  return [...registered, ...projectAt(process.cwd()), ...temporaryPlaces()];
}

/**
 * Returns a folder and its git worktree. Leaves out the home and the folders above it: people start programs there without making all of
 * it a project, and some keep their whole home in git.
 */
function projectAt(folder: string): readonly AgentPlace[] {
  const real = realPath(folder);
  const worktree = worktreeOf(real);
  const places = [
    { place: real, what: 'the project' },
    ...(worktree === undefined ? [] : [{ place: worktree, what: 'the project' }]),
  ];
  const home = realPath(homedir());
  return places.filter(({ place }) => !isWithin(place, home));
}

function worktreeOf(folder: string): string | undefined {
  if (lstatSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
  const above = path.dirname(folder);
  return above === folder ? undefined : worktreeOf(above);
}

function temporaryPlaces(): readonly AgentPlace[] {
  const places = new Set([tmpdir(), '/tmp', '/var/tmp', '/dev/shm', '/run/user'].map(realPath));
  return [...places].map((place) => ({ place, what: 'a folder for temporary files' }));
}

function realPath(place: string): string {
  const absolute = path.resolve(place);
  return existsSync(absolute) ? realpathSync(absolute) : absolute;
}
