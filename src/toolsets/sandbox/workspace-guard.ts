import path from 'node:path';
import { isAgreed } from '../files/guard/agreed-writes.ts';
import type { PathTest } from '../files/glob-pattern.ts';
import { describeThrown } from '../../core/error.ts';
import { toText } from './byte-path.ts';
import { quarantine } from './quarantine.ts';
import type { Scan, WorkspaceScan } from './workspace-scan.ts';

/** What a command may leave in a workspace. */
export interface GuardedWorkspace {
  /** A real path. */
  readonly root: string;
  readonly scan: WorkspaceScan;
  /** What was there before the command, which it cannot change. */
  readonly before: Scan;
  /** What it may make although it makes other programs run something. */
  readonly allows: PathTest;
  /** Names in the root that it cannot make; what is there of them is the sandbox's own, or a person's. */
  readonly held: ReadonlySet<string>;
}

/** A file or folder that a command planted. */
interface Planted {
  readonly place: string;
  readonly reader: string;
  /** Where it is now; undefined when it could not be moved. */
  readonly movedTo: string | undefined;
}

/** How often it is looked while a command runs: at least this apart, in milliseconds, and so many times what a look takes. */
const lookEveryMs = 1_000;
const restPerLook = 25;
/** How often it is looked again at the end when something was found: what is found may hide something else. */
const maxLooks = 8;
const maxNamed = 20;

/**
 * Watches over a workspace while a command runs in it, and moves away what it plants: files that make other programs run something and
 * that were not there before. A mount can keep a command from changing what is there; what is not there yet, anywhere in a folder that
 * may be written, can only be found.
 *
 * 1. When `finish` has resolved, nothing that the command planted is where a program would read it, or the notes say what is.
 * 2. While the command runs, what it plants is there for about a second; one that plants the same again is ended.
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

  /** Looks from time to time; `end` is called when the command plants again what was moved away. */
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

  /** To be called when no part of the command runs any more. Gives what must be said of what it left; empty when all is well. */
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

  /** What must be said of what was found so far. */
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

  /** Moves away what is new. */
  async #clear(end?: () => void): Promise<{ readonly found: boolean; readonly isComplete: boolean }> {
    const { root, scan, before, allows, held } = this.#workspace;
    // What the command has closed is opened: in there, too, programs would find by its name what it planted.
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
