import { existsSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { engineJournals, engineProfilesIn } from '../files/engine-places.ts';
import type { SandboxedCommand } from './sandbox.ts';

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

/** What no command has a business with, neither in the workspace (it may be somebody's home) nor where the engine was started. */
const hiddenIn = ['.cadre', '.env', '.ssh', '.aws', '.gnupg', '.netrc', '.kube', '.docker'];

/** What lies in a workspace and may not be written: what others trust, and what would be run outside the sandbox. */
const guarded = [
  '.cadre',
  'agent_profiles',
  '.env',
  '.envrc',
  '.npmrc',
  '.mcp.json',
  '.vscode',
  '.idea',
  '.claude',
  '.cursor',
  '.husky',
  '.gitmodules',
  '.git/hooks',
  '.git/config',
];

/** What a sandboxed command sees of the files, as the sandbox package is told. */
export interface SandboxFiles {
  readonly denyRead: string[];
  readonly allowRead: string[];
  readonly allowWrite: string[];
  readonly denyWrite: string[];
}

/** Works out what a command sees of the files: all that is not hidden, and to write its workspace. `also` may be read, too. */
export function sandboxFiles(command: SandboxedCommand, also: readonly string[]): SandboxFiles {
  const { policy, writable = [], readable = [] } = command;
  const workspace = realPath(command.workspace);
  const write = [workspace, ...writable.map(realPath), ...policy.write.map(atHome)];
  // What is not there yet cannot be hidden, and must not be made either. Below a `.git` that is to be made, anything may be.
  const kept = guarded.map((place) => path.join(workspace, place)).filter((place) => isKept(workspace, place));
  const private_ = hiddenIn.flatMap((name) => [path.join(process.cwd(), name), path.join(workspace, name)]);
  return {
    // In some containers the home is `/`, and hiding that would hide everything.
    denyRead: [...hidden, homedir(), tmpdir(), ...private_, ...engineJournals()].filter(
      (place) => place !== '/' && existsSync(place),
    ),
    allowRead: [...write, ...readable.map(realPath), ...policy.read.map(atHome), ...also],
    allowWrite: write,
    denyWrite: [...kept, ...engineProfilesIn(write), ...engineJournals()],
  };
}

function isKept(workspace: string, place: string): boolean {
  return existsSync(place) || path.dirname(place) === workspace || existsSync(path.dirname(place));
}

function atHome(place: string): string {
  return realPath(place === '~' || place.startsWith('~/') ? path.join(homedir(), place.slice(1)) : path.resolve(place));
}

/** Where a path leads in the end: the sandbox must not be made around a link. */
function realPath(place: string): string {
  return existsSync(place) ? realpathSync(place) : place;
}
