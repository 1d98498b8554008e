import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { autoRunFiles } from '../files/guard/auto-run-files.ts';
import { engineJournals, engineMailIn, engineProfilesIn } from '../files/guard/engine-places.ts';
import { toAllowedWrites } from '../files/guard/allowed-writes.ts';
import { gitConfigPlaces } from '../files/guard/git-config-places.ts';
import type { PathTest } from '../files/glob-pattern.ts';
import { plainName } from '../files/plain-name.ts';
import { toText } from './byte-path.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import type { SandboxedCommand } from './sandboxed-command.ts';
import type { Scan } from './workspace-scan.ts';

/** Nobody's home can be looked into, nor what other programs keep for a while, nor what other machines or users trust. */
const hidden = [
  '/root',
  '/home',
  '/Users',
  '/run/user',
  '/run/secrets',
  '/var/run/secrets',
  '/run/docker.sock',
  '/var/run/docker.sock',
  '/etc/shadow',
  '/etc/ssh',
];

/**
 * Of the files that make other programs run something, those that programs look for all the time in a folder they have open. The mounts of a
 * sandbox keep a command from making these in the root of its workspace at all; others, and those further down, are found by a scan. While the
 * command runs, an empty folder or file of the name lies there, which no program minds (an empty `.git` is no repository).
 */
const heldFolders = [
  '.git',
  '.vscode',
  '.idea',
  '.claude',
  '.cursor',
  '.codex',
  '.gemini',
  '.devcontainer',
  '.husky',
  'agent_profiles',
];
const heldFiles = ['.env', '.envrc', '.npmrc', '.mcp.json', '.gitmodules'];

/** What a sandboxed command sees of the files, as the sandbox package takes it. */
export interface SandboxFiles {
  readonly denyRead: string[];
  readonly allowRead: string[];
  readonly allowWrite: string[];
  readonly denyWrite: string[];
}

/** What was found in the places that a command may read: in its workspace, and where the engine was started. */
export interface FoundFiles {
  readonly workspace: Pick<Scan, 'autoRun' | 'secrets'>;
  /** Absolute paths of what holds secrets elsewhere. */
  readonly secrets: readonly string[];
}

const nothing: FoundFiles = { workspace: { autoRun: new Map(), secrets: new Set() }, secrets: [] };

/** Works out what a command sees of the files: all that is not hidden, and to write its workspace. `also` may be read, too. */
export function sandboxFiles(command: SandboxedCommand, also: readonly string[], found: FoundFiles = nothing): SandboxFiles {
  const { policy, writable = [], readable = [] } = command;
  const allows = toAllowedWrites(policy.allowWrites);
  const workspace = realPath(command.workspace);
  const named = openedFolders(policy);
  const write = [workspace, ...writable.map(realPath), ...named];
  const read = policy.read.map(atHome);
  const secrets = [...[...found.workspace.secrets].map((place) => path.join(workspace, toText(place))), ...found.secrets];
  return {
    // In some containers the home is `/`, and hiding that would hide everything.
    denyRead: [...hidden, homedir(), tmpdir(), path.join(workspace, '.cadre'), ...secrets, ...engineJournals()].filter(
      (place) => place !== '/' && existsSync(place) && !read.includes(realPath(place)),
    ),
    allowRead: [...write, ...readable.map(realPath), ...read, ...also],
    allowWrite: write,
    denyWrite: [
      path.join(workspace, '.cadre'),
      ...placeholders(workspace, allows),
      ...closedPlaces(workspace, allows, found.workspace),
      ...named.flatMap((folder) => autoRunIn(folder, allows)),
      ...engineProfilesIn(write),
      ...engineJournals(),
      // What is not there yet is made as an empty folder while the command runs, when a path lies below it.
      ...engineMailIn(write).map((folder) => (isThere(folder) ? folder : path.join(folder, '.cadre'))),
    ],
  };
}

/** The folders outside of the workspace that settings open for writing, as real paths. */
export function openedFolders({ write }: SandboxPolicy): readonly string[] {
  return write.map(atHome);
}

/** The names in the root of a workspace that a command cannot make, unless it may. */
export function heldNames(allows: PathTest): ReadonlySet<string> {
  return new Set(['.cadre', ...[...heldFolders, ...heldFiles].filter((name) => !allows(name))]);
}

/** What is not there yet cannot be mounted: the package makes something empty to mount upon, a folder when a path lies below it. */
function placeholders(workspace: string, allows: PathTest): readonly string[] {
  const missing = (name: string): boolean => !allows(name) && !isThere(path.join(workspace, name));
  return [
    ...heldFolders.filter(missing).map((name) => path.join(workspace, name, '.cadre')),
    ...heldFiles.filter(missing).map((name) => path.join(workspace, name)),
  ];
}

/** What the package makes, empty, where nothing is, so that it can mount upon it: absolute paths. It removes them after the command. */
export function mountPoints({ denyWrite }: Pick<SandboxFiles, 'denyWrite'>): readonly string[] {
  return [...new Set(denyWrite.filter((place) => !isThere(place)).map(firstMissing))];
}

function firstMissing(place: string): string {
  const above = path.dirname(place);
  return above === place || isThere(above) ? place : firstMissing(above);
}

/** What is there and must stay as it is: what makes other programs run something, and what a repository's configuration names. */
function closedPlaces(workspace: string, allows: PathTest, { autoRun }: FoundFiles['workspace']): readonly string[] {
  const isClosed = (place: string): boolean => !allows(path.relative(workspace, place) || '.');
  const places = [...autoRun.keys()].map((place) => path.join(workspace, toText(place)));
  const repositories = new Set([
    workspace,
    ...places.filter((place) => path.basename(place) === '.git').map((place) => path.dirname(place)),
  ]);
  const named = [...repositories].flatMap(gitConfigPlaces).filter((place) => place.startsWith(`${workspace}${path.sep}`));
  return [...places, ...named].filter(isClosed);
}

/** What makes other programs run something in a folder that settings open for writing: only in itself, since its author named it. */
function autoRunIn(folder: string, allows: PathTest): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => autoRunFiles.groupOf([], plainName(name)) !== undefined && !allows(name))
      .map((name) => path.join(folder, name));
  } catch {
    // A file, or not there: then there is nothing in it.
    return [];
  }
}

function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}

function atHome(place: string): string {
  return realPath(place === '~' || place.startsWith('~/') ? path.join(homedir(), place.slice(1)) : path.resolve(place));
}

/** Where a path leads in the end: the sandbox must not be made around a link. */
function realPath(place: string): string {
  return existsSync(place) ? realpathSync(place) : place;
}
