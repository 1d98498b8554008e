import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { autoRunFiles } from '../../files/guard/auto-run-files.ts';
import { engineJournals, engineMailIn, engineProfilesIn } from '../../files/guard/engine-places.ts';
import { toAllowedWrites } from '../../files/guard/allowed-writes.ts';
import type { PathTest } from '../../files/glob-pattern.ts';
import { plainName } from '../../files/plain-name.ts';
import { isWithin } from '../../files/is-within.ts';
import { rememberAgentPlace } from '../../files/programs/agent-places.ts';
import { ownPlacesIn } from '../../files/programs/own-places.ts';
import { toBytePath, toText } from './byte-path.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import type { SandboxedCommand } from './sandboxed-command.ts';
import type { GuardedScan } from './git-named.ts';

/** Places a sandbox hides: homes, runtime files of other programs, and credentials that machines or users trust. */
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
 * Auto-run files that programs constantly look for in a folder they have open. The mounts of a sandbox prevent a command from creating them
 * in the root of its workspace; all others, and those in subfolders, are found by a scan. While the command runs, an empty folder or file
 * has the name, which no program minds (an empty `.git` is no repository).
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

/** Files that a sandboxed command may read and write, in the form that the sandbox package takes. */
export interface SandboxFiles {
  readonly denyRead: string[];
  readonly allowRead: string[];
  readonly allowWrite: string[];
  readonly denyWrite: string[];
}

/** Files found in the places that a command may read: its workspace, and the folder where the engine was started. */
export interface FoundFiles {
  readonly workspace: Pick<GuardedScan, 'autoRun' | 'secrets' | 'unmade'>;
  /** Absolute paths of files with secrets outside the workspace. */
  readonly secrets: readonly string[];
}

const nothing: FoundFiles = { workspace: { autoRun: new Map(), secrets: new Set(), unmade: [] }, secrets: [] };

/** Lists the files a command may read (all that are not hidden, and `also`) and write (its workspace and the folders of its settings). */
export function sandboxFiles(command: SandboxedCommand, also: readonly string[], found: FoundFiles = nothing): SandboxFiles {
  const { policy, writable = [], readable = [] } = command;
  const allows = toAllowedWrites(policy.allowWrites);
  const workspace = realPath(command.workspace);
  const named = openedFolders(policy);
  const write = [workspace, ...writable.map(realPath), ...named];
  const read = policy.read.map(atHome);
  const secrets = [...[...found.workspace.secrets].map((place) => path.join(workspace, toText(place))), ...found.secrets];
  return {
    // In some containers the home is `/`; hiding it would hide everything.
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
      ...ownPlacesIn(write),
      ...engineJournals(),
      // For a missing folder, a path below it makes the package create an empty folder while the command runs.
      ...engineMailIn(write).map((folder) => (isThere(folder) ? folder : path.join(folder, '.cadre'))),
    ],
  };
}

/** Returns a test whether a command in the sandbox can see a place: it is in no hidden place, or settings or the workspace show it. */
export function seenInSandbox(policy: SandboxPolicy, workspace: string): (place: string) => boolean {
  const shown = [workspace, ...openedFolders(policy), ...policy.read.map(atHome)].map(realPath);
  const covered = [...hidden, homedir(), tmpdir()].map(realPath).filter((place) => place !== '/');
  const isIn = (folders: readonly string[], place: string): boolean => folders.some((folder) => isWithin(folder, place));
  return (place) => !isIn(covered, place) || isIn(shown, place);
}

/** Returns the folders outside the workspace that settings open for writing, as real paths. */
export function openedFolders({ write }: SandboxPolicy): readonly string[] {
  return write.map(atHome);
}

/**
 * Registers the folders that settings open for writing, before any program is looked up: an earlier process with the same settings may
 * have filled them.
 */
export function rememberOpened(policy: SandboxPolicy | undefined): void {
  if (policy === undefined) return;
  for (const folder of openedFolders(policy)) rememberAgentPlace(folder, 'what a sandbox may write');
}

/** Returns the names in a workspace that a command cannot create, except those it is allowed: held names, and `unmade` places. */
export function heldNames(allows: PathTest, workspace: string, unmade: readonly string[]): ReadonlySet<string> {
  const named = unmade.map((place) => path.relative(workspace, place)).filter((name) => !allows(name));
  return new Set(['.cadre', ...[...heldFolders, ...heldFiles].filter((name) => !allows(name)), ...named.map(toBytePath)]);
}

/** Returns paths for missing held names. The package creates an empty file to mount on, or a folder when the path lies below it. */
function placeholders(workspace: string, allows: PathTest): readonly string[] {
  const missing = (name: string): boolean => !allows(name) && !isThere(path.join(workspace, name));
  return [
    ...heldFolders.filter(missing).map((name) => path.join(workspace, name, '.cadre')),
    ...heldFiles.filter(missing).map((name) => path.join(workspace, name)),
  ];
}

/** Returns the empty files and folders that the package creates to mount on, as absolute paths. It removes them after the command. */
export function mountPoints({ denyWrite }: Pick<SandboxFiles, 'denyWrite'>): readonly string[] {
  return [...new Set(denyWrite.filter((place) => !isThere(place)).map(firstMissing))];
}

function firstMissing(place: string): string {
  const above = path.dirname(place);
  return above === place || isThere(above) ? place : firstMissing(above);
}

/** Returns files that must not change: auto-run files, what git's configuration names, and what it names that does not exist. */
function closedPlaces(workspace: string, allows: PathTest, { autoRun, unmade }: FoundFiles['workspace']): readonly string[] {
  const isClosed = (place: string): boolean => !allows(path.relative(workspace, place) || '.');
  return [...[...autoRun.keys()].map((place) => path.join(workspace, toText(place))), ...unmade].filter(isClosed);
}

/** Returns auto-run files directly in a folder that settings open for writing; not in subfolders, since its author named the folder. */
function autoRunIn(folder: string, allows: PathTest): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => autoRunFiles.groupOf([], plainName(name)) !== undefined && !allows(name))
      .map((name) => path.join(folder, name));
  } catch {
    // A file, or missing: no entries.
    return [];
  }
}

function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}

function atHome(place: string): string {
  return realPath(place === '~' || place.startsWith('~/') ? path.join(homedir(), place.slice(1)) : path.resolve(place));
}

/** Resolves links in an existing path: a sandbox must not be built around a link. */
function realPath(place: string): string {
  return existsSync(place) ? realpathSync(place) : place;
}
