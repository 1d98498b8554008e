import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, posix, relative, resolve, sep } from 'node:path';
import { describeThrown } from '../../core/error.ts';
import type { Diagnostic, ProfileFile } from '../../core/profile/profile.ts';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import { maxFileBytes, maxFiles, maxTotalBytes, sizeText } from './file-limits.ts';
import { bundledTeam } from './bundled-teams.ts';
import { readBounded } from './read-bounded.ts';
import { includesOf, isTeamFolder } from './team-file.ts';
import { besideTests, isBesideProfiles } from './test-file-names.ts';

/** Files read from disk, and the problems of files that could not be read. */
export interface FilesRead {
  readonly files: readonly ProfileFile[];
  /** Folder each file was read from, by its path. */
  readonly roots: ReadonlyMap<string, ReadRoot>;
  /** Real paths of all folders that were read, in the order of reading. */
  readonly folders: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Maximum depth of folders below a root. */
const maxFolderDepth = 16;

interface Reading {
  readonly files: Map<string, ProfileFile>;
  readonly roots: Map<string, ReadRoot>;
  readonly folders: Set<string>;
  readonly diagnostics: Diagnostic[];
  /** Real paths of folders and files already seen, so that circular links end. */
  readonly seen: Set<string>;
  /** Teams whose includes were followed. */
  readonly teams: Set<string>;
  bytes: number;
  /** True once a limit over all files was reported. */
  full: boolean;
}

/** Folder that profiles were read from. */
export interface ReadRoot {
  /** Name of the folder in diagnostics. */
  readonly label: string;
  readonly real: string;
}

/**
 * Reads profile files and folders from disk. Checks every path before opening it: only regular files of a bounded size, inside
 * their root. Skips subfolders with a `team.yaml`, which are teams of their own; reads the teams that a team includes.
 */
export async function readProfileFiles(inputs: readonly string[]): Promise<FilesRead> {
  const reading: Reading = {
    files: new Map(),
    roots: new Map(),
    folders: new Set(),
    diagnostics: [],
    seen: new Set(),
    teams: new Set(),
    bytes: 0,
    full: false,
  };
  for (const input of inputs) await readInput(reading, input);
  const { files, roots, folders, diagnostics } = reading;
  return { files: [...files.values()], roots, folders: [...folders], diagnostics };
}

async function readInput(reading: Reading, input: string): Promise<void> {
  const label = labelOf(input);
  const before = reading.files.size + reading.diagnostics.length;
  try {
    const real = await realpath(input);
    const info = await stat(real);
    if (info.isDirectory()) {
      await readIncludes(reading, input, real);
      await readFolder(reading, { label, real }, { folder: real, label, depth: 0 });
      const found = [...reading.files.keys()].some((path) => !path.endsWith('.json'));
      if (!found && reading.diagnostics.length === 0)
        fail(reading, 'FOLDER_EMPTY', {
          file: label,
          message: 'the folder holds no .yaml or .yml file',
          hint: 'run `cadre init` for a starter team',
        });
    } else if (reading.files.size + reading.diagnostics.length === before) {
      await readOne(reading, { label: posix.dirname(label), real: dirname(real) }, { real, label });
    }
  } catch (thrown) {
    fail(reading, codeOf(thrown), {
      file: label,
      message: codeOf(thrown) === 'FILE_NOT_FOUND' ? 'there is no such file or folder' : describeThrown(thrown),
      hint: 'check the path',
    });
  }
}

async function readIncludes(reading: Reading, input: string, real: string): Promise<void> {
  reading.teams.add(real);
  for (const include of await includesOf(real)) {
    const folder = bundledTeam(include) ?? join(input, include);
    // Two teams may include each other, also through links; the named team is read last.
    const place = await realpath(folder).catch(() => folder);
    if (!reading.teams.has(place)) await readInput(reading, folder);
  }
}

/**
 * Returns the label of an input: relative paths unchanged, absolute paths by their last part, so that files have the same names on
 * every machine.
 */
export function labelOf(input: string): string {
  const path =
    isAbsolute(input) || normalize(input).startsWith('..') || normalize(input) === '.'
      ? basename(resolve(input))
      : normalize(input);
  return toSlashes(path).replace(/\/$/, '');
}

async function readFolder(
  reading: Reading,
  root: ReadRoot,
  { folder, label, depth }: { readonly folder: string; readonly label: string; readonly depth: number },
): Promise<void> {
  if (reading.seen.has(folder)) return;
  const names = (await readdir(folder)).toSorted();
  if (depth > 0 && isTeamFolder(names)) return;
  reading.seen.add(folder);
  if (depth > maxFolderDepth) {
    fail(reading, 'FOLDER_TOO_LARGE', { file: label, message: `folders are nested deeper than ${maxFolderDepth} levels` });
    return;
  }
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules' || besideTests.has(name) || reading.full) continue;
    await readEntry(reading, root, { path: join(folder, name), label: `${label}/${name}`, depth });
  }
}

async function readEntry(
  reading: Reading,
  root: ReadRoot,
  { path, label, depth }: { readonly path: string; readonly label: string; readonly depth: number },
): Promise<void> {
  try {
    const link = await lstat(path);
    const real = link.isSymbolicLink() ? await realpath(path) : path;
    const info = link.isSymbolicLink() ? await stat(real) : link;
    const isProfileFile = /\.(?:ya?ml|json)$/i.test(label) && !isBesideProfiles(label);
    if (!info.isDirectory() && !isProfileFile) return;
    if (link.isSymbolicLink() && !isInside(root.real, real)) {
      fail(reading, 'FILE_OUTSIDE', {
        file: label,
        message: 'the link leads outside the profile folder',
        hint: 'copy the file into the folder, or load it by its own path',
      });
      return;
    }
    if (info.isDirectory()) await readFolder(reading, root, { folder: real, label, depth: depth + 1 });
    else await readOne(reading, root, { real, label });
  } catch (thrown) {
    fail(reading, codeOf(thrown), {
      file: label,
      message: codeOf(thrown) === 'FILE_NOT_FOUND' ? 'the link has no target' : describeThrown(thrown),
    });
  }
}

async function readOne(
  reading: Reading,
  root: ReadRoot,
  { real, label }: { readonly real: string; readonly label: string },
): Promise<void> {
  if (reading.seen.has(real)) return;
  reading.seen.add(real);
  reading.folders.add(root.real);
  const isJson = label.toLowerCase().endsWith('.json');
  const info = await stat(real);
  if (!info.isFile()) {
    fail(reading, 'FILE_NOT_REGULAR', { file: label, message: 'this is not a regular file' });
    return;
  }
  // JSON files matter only when an LLM config names one, and then it says that the file is missing.
  if (info.size > maxFileBytes && isJson) return;
  if (info.size > maxFileBytes) {
    fail(reading, 'FILE_TOO_LARGE', {
      file: label,
      message: `the file has ${sizeText(info.size)}, a profile file may have ${sizeText(maxFileBytes)}`,
      hint: 'split it, and share parts with base_profile',
    });
    return;
  }
  reading.bytes += info.size;
  if (reading.bytes > maxTotalBytes || reading.files.size >= maxFiles) {
    reading.full = true;
    fail(reading, 'FOLDER_TOO_LARGE', {
      file: label,
      message: `more than ${sizeText(maxTotalBytes)} or ${maxFiles} files up to here`,
      hint: 'load a smaller folder',
    });
    return;
  }
  const bytes = await readBounded(real);
  if (bytes === undefined) {
    fail(reading, 'FILE_TOO_LARGE', {
      file: label,
      message: `the file grew beyond ${sizeText(maxFileBytes)} while it was read`,
      hint: 'load it again once it is complete',
    });
    return;
  }
  try {
    reading.roots.set(label, root);
    reading.files.set(label, { path: label, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) });
  } catch {
    if (!isJson) fail(reading, 'FILE_NOT_UTF8', { file: label, message: 'the file is not UTF-8 text', hint: 'save it as UTF-8' });
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function toSlashes(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/');
}

function codeOf(thrown: unknown): DiagnosticCode {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE';
}

function fail(
  reading: Reading,
  code: DiagnosticCode,
  { file, message, hint }: { readonly file: string; readonly message: string; readonly hint?: string | undefined },
): void {
  const source = { file, line: 1, column: 1 };
  reading.diagnostics.push({ severity: 'error', code, message, source, ...(hint === undefined ? {} : { hint }) });
}
