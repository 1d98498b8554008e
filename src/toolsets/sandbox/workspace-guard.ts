import path from 'node:path';
import { isAgreed } from '../../files/guard/agreed-writes.ts';
import type { PathTest } from '../../files/glob-pattern.ts';
import { describeThrown } from '../../core/error.ts';
import { toText } from './byte-path.ts';
import { withGitNamed } from './git-named.ts';
import { environment, type Scan, type WorkspaceScan } from './workspace-scan.ts';
import { quarantine } from './quarantine.ts';

/** Workspace to guard, and the auto-run files a command may leave in it. */
export interface GuardedWorkspace {
  /** Real path. */
  readonly root: string;
  readonly scan: WorkspaceScan;
  /** Scan before the command; the command cannot change the files found. */
  readonly before: Pick<Scan, 'autoRun' | 'programs'>;
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
    const instead = planted.some(({ reader }) => reader === 'environments') ? [elsewhere] : [];
    return [
      '--- files moved out of the way: they would make other programs run something, and were not there before',
      ...lines,
      ...more,
      `Only a person can allow such files, with allow_writes: ${names} in the settings of the toolset. Do without them, or ask the user.`,
      ...instead,
    ];
  }

  /** Moves new auto-run files away. */
  async #clear(end?: () => void): Promise<{ readonly found: boolean; readonly isComplete: boolean }> {
    const { root, scan, before, allows, held } = this.#workspace;
    // Opens folders that the command has closed: programs would still find planted files in them by name.
    const { autoRun, programs, isComplete } = await withGitNamed(root, await scan.run('open'));
    let found = false;
    for (const [place, reader] of autoRun) {
      const text = toText(place);
      const isKnown = before.autoRun.has(place) && before.programs.get(place) === programs.get(place);
      if (isKnown || reader === environment || held.has(place) || allows(text) || isAgreed(path.join(root, text))) continue;
      found = true;
      const isAgain = this.#planted.has(place);
      this.#planted.set(place, { place: text, reader, movedTo: await quarantine(root, place) });
      if (isAgain) end?.();
    }
    return { found, isComplete };
  }
}

const elsewhere =
  'A virtual environment outside the workspace needs no permission: python3 -m venv "$HOME/env". It lasts as long as the session.';
const tooMuch =
  'There are too many files in the workspace to search all of them for those that make other programs run something. Delete what is not needed.';
