import path from 'node:path';
import { lstat } from 'node:fs/promises';
import { CadreError } from '../../core/error.ts';
import { rememberAgreed } from './agreed-writes.ts';
import { autoRunFiles, autoRunReader } from './auto-run-files.ts';
import { environmentOn } from './environments.ts';
import { errorCode } from '../error-code.ts';
import { gitFolderNames, gitNames, isGitFolder } from './git/git-folder.ts';
import { gitPlaces, type GitUnknown } from './git/git-places.ts';
import { repositoriesBelow } from './git/nested-repositories.ts';
import type { PathTest } from '../glob-pattern.ts';
import { showPath } from '../inside-path.ts';
import { createKeyedLock } from '../keyed-lock.ts';
import type { RuledPlace } from './name-rules.ts';
import { plainName, plainPath } from '../plain-name.ts';

/** File or folder below a root that is about to be written, moved or removed. */
export interface GuardedWrite {
  /** Real path. */
  readonly root: string;
  /** Clean path relative to the root. */
  readonly file: string;
  /** Auto-run files that a person agreed to. */
  readonly allows?: PathTest | undefined;
  /** The path may be a folder that moves with all its contents. */
  readonly isMoved?: boolean;
}

/**
 * Refuses a write that would make another program run something: auto-run files, environments of Python, installed packages, files that
 * the git configuration names, and anything in a folder that git accepts as a repository, or would accept with this file in it.
 *
 * @throws CadreError `PATH_REFUSED`, with the program that reads such files and the setting that allows them
 */
export async function assertMayWrite(write: GuardedWrite): Promise<void> {
  const { root, file, allows } = write;
  const found = autoRunFiles.placeIn(file) ?? environmentOn(root, file) ?? (await gitFolderOn(write)) ?? (await namedByGit(write));
  if (found === undefined) return;
  const isAllowed = allows?.(file) === true || (found.place.startsWith(`${file}/`) && allows?.(found.place) === true);
  if (!isAllowed) throw refuseAutoRun(file, found);
  rememberAgreed(path.join(root, found.place));
}

/** Creates the error for an auto-run file. */
export function refuseAutoRun(requested: string, { place, group, rule }: RuledPlace): CadreError {
  const { program, when } = (rule === undefined ? undefined : autoRunReader(rule)) ?? { program: group, when: 'the next time' };
  const reason = `it is protected, since ${program} would run, load or follow what such files say ${when}`;
  const setting = `allow_writes: [${JSON.stringify(place === '.' ? '**' : place)}]`;
  return new CadreError(
    'PATH_REFUSED',
    `The path ${showPath(requested)} is refused: ${reason}. Only a person can allow it, with ${setting} in the settings of the toolset ` +
      '(and a tool gate that asks, to see each such call first). Write another file, or ask the user to do this.',
    { details: { path: showPath(requested), reason, place } },
  );
}

const lock = createKeyedLock();
const gate = createWriteGate();

/**
 * Checks a write and does its work. Writes that could together make a repository for git, one file each, are checked and done one after
 * another, so that each sees the earlier ones; no write is done while a folder moves.
 */
export async function guardWrite<T>(write: GuardedWrite, work: () => Promise<T>): Promise<T> {
  return await gate.amongWrites(async () => await checkAndWrite(write, work));
}

/** Does the work of moving a folder to `write.file`; no other write is done meanwhile, so that the folder stays as it was checked. */
export async function guardFolderMove<T>(write: GuardedWrite, work: () => Promise<T>): Promise<T> {
  return await gate.alone(async () => await checkAndWrite(write, work));
}

async function checkAndWrite<T>(write: GuardedWrite, work: () => Promise<T>): Promise<T> {
  const guarded = async (): Promise<T> => {
    await assertMayWrite(write);
    return await work();
  };
  const mayBeRepository = write.file.split('/').some((part) => gitNames.has(plainName(part)));
  return mayBeRepository ? await lock.hold(write.root, guarded) : await guarded();
}

/**
 * Returns the path named by the git configuration that is a file or lies above it (or below it, for a moved folder).
 *
 * @throws CadreError `PATH_REFUSED` when git cannot say what its configuration names
 */
async function namedByGit({ root, file, allows, isMoved = false }: GuardedWrite): Promise<RuledPlace | undefined> {
  const { places, unknown } = await gitPlaces(root, [path.dirname(path.join(root, file)), ...repositoriesBelow(root)]);
  const [failed] = unknown;
  if (failed !== undefined && allows?.(file) !== true) throw refuseUnknown(file, failed);
  const written = plainPath(file);
  for (const { place } of places) {
    if (!place.startsWith(`${root}${path.sep}`)) continue;
    const found = path.relative(root, place);
    const named = plainPath(found);
    if (written === named || written.startsWith(`${named}/`) || (isMoved && named.startsWith(`${written}/`)))
      return { place: found, group: 'git' };
  }
  return undefined;
}

function refuseUnknown(requested: string, { worktree, why }: GitUnknown): CadreError {
  const reason = `git cannot say which files it would run in ${worktree}: ${why}`;
  return new CadreError(
    'PATH_REFUSED',
    `The path ${showPath(requested)} is refused: ${reason}. Ask the user to correct the configuration of git (\`git config --list\` shows the problem).`,
    { details: { path: showPath(requested), reason } },
  );
}

/** Returns the folder on the way to a file that is a repository for git, or would be with that file in it. */
async function gitFolderOn({ root, file }: GuardedWrite): Promise<RuledPlace | undefined> {
  const parts = file.split('/');
  for (let at = 0; at < parts.length; at += 1) {
    const folder = parts.slice(0, at).join('/');
    const names = await namesIn(path.join(root, folder), plainName(parts[at] ?? ''));
    if (names === undefined) return undefined;
    if (isGitFolder((name) => names.has(name))) return { place: folder === '' ? '.' : folder, group: 'git' };
  }
  return undefined;
}

/** Returns the repository names in a folder, counting one added name; undefined when the folder does not exist. */
async function namesIn(folder: string, added: string): Promise<ReadonlySet<string> | undefined> {
  const names = new Set<string>();
  for (const name of gitFolderNames) {
    // Without a HEAD it is no repository: one look suffices for nearly every folder.
    if (name !== 'HEAD' && !names.has('HEAD')) return names;
    if (added === name.toLowerCase() || (await isThere(path.join(folder, name)))) names.add(name);
    else if (name === 'HEAD' && !(await isThere(folder))) return undefined;
  }
  return names;
}

async function isThere(place: string): Promise<boolean> {
  try {
    await lstat(place);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP') return false;
    throw error;
  }
}

/**
 * Runs writes side by side, and the move of a folder alone, so that the folder moves as it was checked. One gate serves all workspaces of
 * this process, since one workspace may lie in another.
 */
interface WriteGate {
  /** Runs work beside other writes; waits for moves that were requested before. */
  amongWrites<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work while no other work runs. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates a gate. Work inside the gate must not enter it again (deadlock). */
export function createWriteGate(): WriteGate {
  const writes = new Set<Promise<void>>();
  let moves = Promise.resolve();
  return {
    amongWrites: async (work) => {
      for (let seen: Promise<void> | undefined; seen !== moves;) {
        seen = moves;
        await seen;
      }
      const mine = work();
      const settled = settle(mine);
      writes.add(settled);
      void settled.then(() => writes.delete(settled));
      return await mine;
    },
    alone: async (work) => {
      const before = moves;
      const mine = (async () => {
        await before;
        await Promise.all(writes);
        return await work();
      })();
      moves = settle(mine);
      return await mine;
    },
  };
}

async function settle(work: Promise<unknown>): Promise<void> {
  await work.then(
    () => undefined,
    () => undefined,
  );
}
