import path from 'node:path';
import { isAgreed } from '../files/guard/agreed-writes.ts';
import type { PathTest } from '../files/glob-pattern.ts';
import { describeThrown, CadreError } from '../../core/error.ts';
import { toText, type BytePath } from './byte-path.ts';
import type { Scan, WorkspaceScan } from './workspace-scan.ts';
import { randomBytes } from 'node:crypto';
import { chmod, rename } from 'node:fs/promises';
import { autoRunFiles } from '../files/guard/auto-run-files.ts';
import { errorCode } from '../files/error-code.ts';
import { withOpenFolder, type OpenFolder } from '../files/open-folder.ts';
import { lookAt } from '../files/write-inside.ts';

/** Folder that keeps planted files for a person to look at. */
const quarantineFolder = '.cadre/quarantine';
const suffix = '.quarantined';

/**
 * Moves a file or folder of a workspace to a place where no program reads it: into `.cadre/quarantine`, or, when that lies on another
 * disk, to another name beside it. For a folder that git accepts as a repository because of its contents, moves only its `HEAD`, without
 * which it is no repository. Holds the folders on the way open, so that a command that still runs cannot redirect the move.
 *
 * Returns the new path, relative to the root; undefined when the file is gone already, or cannot be moved.
 */
async function quarantine(root: string, place: BytePath): Promise<string | undefined> {
  const isNamed = autoRunFiles.placeIn(toText(place))?.place === toText(place) || (await isLink(root, place));
  const parts = isNamed ? place.split('/') : [...(place === '.' ? [] : place.split('/')), 'HEAD'];
  const name = parts.at(-1) ?? '';
  const batch = `${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`;
  const folders = [...quarantineFolder.split('/'), batch];
  const kept = `${parts
    .join('__')
    .replace(/[^\w.-]/g, '_')
    .slice(-150)}${suffix}`;
  const request = { root, requested: toText(place), what: 'the workspace', encoding: 'latin1' } as const;
  try {
    return await withOpenFolder({ ...request, parts: parts.slice(0, -1) }, async (from) => {
      if ((await lookAt(from.at(name))) === undefined) return undefined;
      const moved = await withOpenFolder({ ...request, parts: folders, create: true }, async (to) => {
        await chmod(to.at('.'), 0o700);
        return (await renamed(from.at(name), to.at(kept))) && (await disarm(to, kept), true);
      });
      if (moved) return [...folders, kept].join('/');
      const beside = `${name}.${batch}${suffix}`;
      await rename(from.at(name), from.at(beside));
      return toText([...parts.slice(0, -1), beside].join('/'));
    });
  } catch (error) {
    if (error instanceof CadreError || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** True for a symbolic link: a link on the way to an auto-run file is moved itself. */
async function isLink(root: string, place: BytePath): Promise<boolean> {
  const parts = place.split('/');
  const name = parts.pop() ?? '';
  const request = { root, parts, requested: toText(place), what: 'the workspace', encoding: 'latin1' } as const;
  try {
    return await withOpenFolder(request, async (folder) => (await lookAt(folder.at(name)))?.isSymbolicLink() === true);
  } catch (error) {
    if (error instanceof CadreError || errorCode(error) !== undefined) return false;
    throw error;
  }
}

/** Renames a file; returns false when the places lie on different disks. */
async function renamed(from: string | Buffer, to: string | Buffer): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EXDEV') return false;
    throw error;
  }
}

/** Makes a quarantined repository unusable, so that programs which look at it there do not run its hooks and configuration. */
async function disarm(folder: OpenFolder, name: string): Promise<void> {
  const head = folder.at(`${name}/HEAD`);
  if ((await lookAt(folder.at(name)))?.isDirectory() === true && (await lookAt(head)) !== undefined)
    await rename(head, folder.at(`${name}/HEAD${suffix}`));
}

/** Workspace to guard, and the auto-run files a command may leave in it. */
export interface GuardedWorkspace {
  /** Real path. */
  readonly root: string;
  readonly scan: WorkspaceScan;
  /** Scan before the command; the command cannot change the files found. */
  readonly before: Scan;
  /** Auto-run files that the command may create. */
  readonly allows: PathTest;
  /** Names in the root that it cannot create; existing ones belong to the sandbox or to a person. */
  readonly held: ReadonlySet<string>;
}

/** File or folder that a command planted. */
interface Planted {
  readonly place: string;
  readonly reader: string;
  /** New path; undefined when it could not be moved. */
  readonly movedTo: string | undefined;
}

/** Pause between scans while a command runs: at least this many milliseconds, and this many times the duration of a scan. */
const lookEveryMs = 1_000;
const restPerLook = 25;
/** Maximum number of final scans, repeated while they find something: a found file may hide another. */
const maxLooks = 8;
const maxNamed = 20;

/**
 * Guards a workspace while a command runs in it, and moves away the files it plants: new auto-run files. A mount can prevent a command
 * from changing existing files; new files, anywhere in a writable folder, can only be found by a scan.
 *
 * 1. When `finish` has resolved, no planted file is where a program would read it, or the notes name those that are.
 * 2. While the command runs, a planted file exists for about a second; a command that plants the same file again is ended.
 */
export class WorkspaceGuard {
  readonly #workspace: GuardedWorkspace;
  readonly #planted = new Map<string, Planted>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(workspace: GuardedWorkspace) {
    this.#workspace = workspace;
  }

  /** Scans from time to time; calls `end` when the command plants a file again that was moved away. */
  watch(end: () => void): void {
    const later = (tookMs: number): void => {
      if (this.#isOver) return;
      this.#timer = setTimeout(look, Math.max(lookEveryMs, tookMs * restPerLook));
      this.#timer.unref();
    };
    const look = (): void => {
      const began = performance.now();
      this.#looking = this.#clear(end).then(
        () => later(performance.now() - began),
        () => later(performance.now() - began),
      );
    };
    later(0);
  }

  /** Does the final scans. Call when no part of the command runs. Returns lines about planted files; empty when there were none. */
  async finish(): Promise<readonly string[]> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#looking;
    try {
      let last = await this.#clear();
      for (let looks = 1; last.found && looks < maxLooks; looks += 1) last = await this.#clear();
      return last.isComplete ? this.notes() : [...this.notes(), tooMuch];
    } catch (thrown) {
      return [
        ...this.notes(),
        `The workspace could not be searched for files that make other programs run something: ${describeThrown(thrown)}`,
      ];
    }
  }

  /** Describes the planted files found so far, in lines. */
  notes(): readonly string[] {
    if (this.#planted.size === 0) return [];
    const planted = [...this.#planted.values()];
    const lines = planted.slice(0, maxNamed).map(({ place, reader, movedTo }) => {
      const where = movedTo === undefined ? 'COULD NOT BE MOVED, and must be deleted' : `now ${JSON.stringify(movedTo)}`;
      return `- ${JSON.stringify(place)} (read by ${reader}): ${where}`;
    });
    const more = planted.length > maxNamed ? [`… and ${planted.length - maxNamed} more`] : [];
    const names = JSON.stringify([...new Set(planted.map(({ place }) => place))].slice(0, 3));
    return [
      '--- files moved out of the way: they would make other programs run something, and were not there before',
      ...lines,
      ...more,
      `Only a person can allow such files, with allow_writes: ${names} in the settings of the toolset. Do without them, or ask the user.`,
    ];
  }

  /** Moves new auto-run files away. */
  async #clear(end?: () => void): Promise<{ readonly found: boolean; readonly isComplete: boolean }> {
    const { root, scan, before, allows, held } = this.#workspace;
    // Opens folders that the command has closed: programs would still find planted files in them by name.
    const { autoRun, isComplete } = await scan.run('open');
    let found = false;
    for (const [place, reader] of autoRun) {
      const text = toText(place);
      if (before.autoRun.has(place) || held.has(place) || allows(text) || isAgreed(path.join(root, text))) continue;
      found = true;
      const isAgain = this.#planted.has(place);
      this.#planted.set(place, { place: text, reader, movedTo: await quarantine(root, place) });
      if (isAgain) end?.();
    }
    return { found, isComplete };
  }
}

const tooMuch =
  'There are too many files in the workspace to search all of them for those that make other programs run something. Delete what is not needed.';
