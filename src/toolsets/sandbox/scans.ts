import { readdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { isWithin } from '../../files/is-within.ts';
import { plainName } from '../../files/plain-name.ts';
import { secretFiles } from '../../files/guard/secret-files.ts';
import type { Unreadable } from '../../files/guard/unreadable.ts';
import { isText, toText, type BytePath } from './byte-path.ts';
import type { GitUnknown } from '../../files/guard/git/git-places.ts';
import { withGitNamed, type GuardedScan } from './git-named.ts';
import type { GuardedWorkspace } from './workspace-guard.ts';
import { WorkspaceScan } from './workspace-scan.ts';

/** Result of the scans before a command runs. */
export interface LookedAt {
  readonly scanned: Pick<GuardedWorkspace, 'root' | 'scan'> & { readonly before: GuardedScan };
  /** Files with secrets in the folder where the engine was started, as absolute paths. */
  readonly secrets: readonly string[];
}

/** Scans of a sandbox: one for each folder, so that each folder is read in full only once. */
export interface Scans {
  /**
   * Scans a workspace, given as a real path, and the folder where the engine was started. `unreadable`: files of the workspace to hide.
   *
   * @throws CadreError `SANDBOX_UNAVAILABLE` when the workspace is too large to scan, or git cannot say what it would run there
   */
  look(root: string, unreadable?: Unreadable): Promise<LookedAt>;
}

/** Maximum number of folders with remembered scans. */
const maxKnown = 20;

/** Creates the scans of a sandbox. */
export function createScans(): Scans {
  const known = new Map<string, WorkspaceScan>();
  const scanOf = (root: string, unreadable: Unreadable = { others: [] }): WorkspaceScan => {
    const key = JSON.stringify([root, unreadable.own, unreadable.others]);
    const scan = known.get(key) ?? new WorkspaceScan(root, unreadable);
    // The least recently used scan is the first to be dropped.
    known.delete(key);
    known.set(key, scan);
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
    return scan;
  };
  return {
    look: async (root, unreadable) => {
      const scan = scanOf(root, unreadable);
      const before = await withGitNamed(root, await scan.run());
      if (!before.isComplete) throw tooLarge(root);
      const [unknown] = before.unknown;
      if (unknown !== undefined) throw notSaid(unknown);
      const unnamed = [...before.autoRun.keys(), ...before.secrets].find((place) => !isText(place));
      if (unnamed !== undefined) throw notText(root, unnamed);
      return { scanned: { root, scan, before }, secrets: await secretsAtHome(root, scanOf) };
    },
  };
}

/** Returns the files with secrets where the engine was started, which may contain the workspace, lie in it, or lie elsewhere. */
async function secretsAtHome(workspace: string, scanOf: (root: string) => WorkspaceScan): Promise<readonly string[]> {
  const started = realpathSync(process.cwd());
  if (isWithin(workspace, started)) return [];
  // Homes and temporary files are hidden anyway, and a whole disk is not searched.
  const isHidden = [homedir(), tmpdir(), '/home', '/root', '/Users'].some((place) => place !== '/' && isWithin(place, started));
  if (isHidden || isWithin(started, homedir())) return ownSecrets(started);
  const { secrets } = await scanOf(started).run();
  return [...secrets]
    .filter(isText)
    .map((place) => path.join(started, toText(place)))
    .filter((place) => !isWithin(place, workspace));
}

function ownSecrets(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => secretFiles.groupOf([], plainName(name)) !== undefined)
    .map((name) => path.join(folder, name));
}

function notText(root: string, place: BytePath): CadreError {
  return new CadreError(
    'SANDBOX_UNAVAILABLE',
    `The workspace ${root} has ${JSON.stringify(toText(place))} in it, which a sandbox must keep as it is and cannot, since its name is no UTF-8 text. ` +
      'Rename it, or choose another folder as the workspace.',
  );
}

function notSaid({ worktree, why }: GitUnknown): CadreError {
  return new CadreError(
    'SANDBOX_UNAVAILABLE',
    `Git cannot say which files it would run in ${worktree}, so no command runs where it could change them: ${why}. ` +
      'Correct the configuration of git (`git config --list` shows the problem).',
  );
}

function tooLarge(root: string): CadreError {
  return new CadreError(
    'SANDBOX_UNAVAILABLE',
    `The workspace ${root} has too many files to be searched for those that make other programs run something, so no command runs in it. ` +
      'Choose a smaller folder as the workspace.',
  );
}
