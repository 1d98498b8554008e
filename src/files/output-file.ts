import { accessSync, constants, existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../core/error.ts';
import { anything } from './anything.ts';
import { removeInside } from './change-inside.ts';
import type { PathTest } from './glob-pattern.ts';
import { autoRunFiles } from './guard/auto-run-files.ts';
import { assertMayWrite } from './guard/guard-writes.ts';
import { plainName } from './plain-name.ts';
import { placeOf, showPlace, type Place, type PlaceOptions } from './project-place.ts';
import { readInside, type InsideText, type NotRead } from './read-inside.ts';
import { writeInside } from './write-inside.ts';

/** How a command writes a file. */
export interface OutputOptions extends PlaceOptions {
  /**
   * `user`: a command line names the file, which may be any. `project`: its name is a default, or comes from files of the project:
   * auto-run files are refused.
   */
  readonly namedBy: 'user' | 'project';
  /** Permissions of the file; by default those of the file it replaces. */
  readonly mode?: number;
  /** Permissions of new folders on the way. */
  readonly folderMode?: number;
  /** False: the folder of the file must exist. */
  readonly makesFolders?: boolean;
}

/**
 * Writes a file of a command, whole or not at all, and creates the folders on the way. Follows no link of a project (see `placeOf`); a
 * link that is swapped in meanwhile is replaced, never written through.
 *
 * @throws CadreError `PATH_REFUSED` for links of a project, for what is no regular file, and for auto-run files; otherwise the error of
 * the system
 */
export async function writeOutput(named: string, content: string | Uint8Array, options: OutputOptions): Promise<void> {
  const { root, file } = checkedPlace(named, options);
  const { mode, folderMode, makesFolders } = options;
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  await forCommand(named, async () => {
    const allows = allowedFor(options, file);
    await writeInside({ root, file, what: 'the project', bytes, allows, mode, folderMode, makesFolders });
  });
}

/**
 * Checks before long work that a file can be written at its end; writes nothing.
 *
 * @throws CadreError `PATH_REFUSED`, as `writeOutput`; the error of the system when its folder cannot be written to
 */
export async function checkOutput(named: string, options: OutputOptions): Promise<void> {
  const { root, file } = checkedPlace(named, options);
  const allows = allowedFor(options, file);
  if (allows !== anything) await forCommand(named, async () => await assertMayWrite({ root, file, allows }));
  let folder = path.dirname(path.join(root, file));
  while (options.makesFolders !== false && !existsSync(folder)) folder = path.dirname(folder);
  accessSync(folder, constants.W_OK);
}

/**
 * Reads a text file that a command compares with, or that its project names, under the rules of `writeOutput`; returns the reason when it
 * cannot be read.
 *
 * @throws CadreError `PATH_REFUSED` for links of a project and for what is no regular file
 */
export async function readOutput(named: string, maxBytes: number, options: PlaceOptions = {}): Promise<InsideText | NotRead> {
  const { root, file } = checkedPlace(named, options);
  return await readInside(root, file, maxBytes);
}

/**
 * Reads a text file of a project that a command shows parts of, such as a test, under the same rules.
 *
 * @throws CadreError `PATH_REFUSED`, as `readOutput`; `OPTION_INVALID` when it cannot be read
 */
export async function readProjectText(named: string): Promise<string> {
  const read = await readOutput(named, maxTextBytes);
  if ('reason' in read) throw new CadreError('OPTION_INVALID', `${showPlace(named)} cannot be read: ${read.reason}`);
  return read.text;
}

/** Removes a file of a command; returns false when nothing is there. Of a link, removes the link itself. */
export async function removeOutput(named: string, options: OutputOptions): Promise<boolean> {
  const { root, file } = placeOf(named, { ...options, keepsLink: true });
  const removed = { root, file, what: 'the project', allows: allowedFor(options, file) };
  return await forCommand(named, async () => await removeInside(removed));
}

const maxTextBytes = 300_000_000;

function checkedPlace(named: string, options: PlaceOptions): Place {
  const place = placeOf(named, options);
  const found = lstatSync(path.join(place.root, place.file), { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return place;
  const reason = found.isDirectory() ? 'it is a folder' : 'it is a pipe, a device or a socket';
  throw refused(named, reason, 'Name a file');
}

/** Returns the auto-run files that a command may write: all that its user names, else those of the engine itself. */
function allowedFor({ namedBy }: OutputOptions, file: string): PathTest | undefined {
  if (namedBy === 'user') return anything;
  return isOfEngine(file) ? anything : undefined;
}

/** True when a path is one of the engine's own places (profiles, `.cadre`), and no other program reads it. */
function isOfEngine(file: string): boolean {
  const names = file.split('/').map(plainName);
  const groups = names.flatMap((name, at) => autoRunFiles.groupOf(names.slice(0, at), name) ?? []);
  return groups.length > 0 && groups.every((group) => group === 'Cadre');
}

/** Words refusals of the jail for people at a command line, who have no settings of a toolset to change. */
async function forCommand<T>(named: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CadreError) || error.code !== 'PATH_REFUSED') throw error;
    throw refused(named, String(error.details['reason'] ?? error.message), 'Write another file', error);
  }
}

function refused(named: string, reason: string, remedy: string, cause?: unknown): CadreError {
  return new CadreError('PATH_REFUSED', `The path ${showPlace(named)} is refused: ${reason}. ${remedy}.`, {
    details: { path: showPlace(named), reason },
    ...(cause === undefined ? {} : { cause }),
  });
}
