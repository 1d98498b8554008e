import type { ProfileFile } from '../core/profile/profile.ts';
import { safe } from '../inspect/format/text/layout.ts';
import { profileStamp } from '../profiles/profile-stamp.ts';
import { readProfileFiles } from '../profiles/files/read-profile-files.ts';

/** What a watch looks at, and whom it tells. */
export interface ProfileWatchOptions {
  /** The folder, or file, that profiles were loaded from. */
  readonly folder: string;
  /** The files as they were loaded. */
  readonly loaded: readonly ProfileFile[];
  /** Gets whole lines. */
  readonly tell: (text: string) => void;
  /** What loads the files again, for people. */
  readonly restart: string;
  /** Milliseconds between two looks. */
  readonly every?: number;
}

const usualPause = 2_000;
/** Most files that a line names. */
const shownFiles = 5;

interface Difference {
  readonly path: string;
  readonly how: 'changed' | 'new' | 'removed';
  readonly text: string;
}

/**
 * Notices that profiles on disk are no longer those that were loaded, and says so once per change. Nothing is loaded again. It looks at
 * names, sizes and times, reads files only when one of these changed, and keeps no process alive.
 */
export class ProfileWatch implements Disposable {
  readonly #options: ProfileWatchOptions;
  /** The files that are compared, as they were loaded; known from the first look on. */
  #loaded: ReadonlyMap<string, string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #stamp: string | undefined;
  /** What was said last: the files that differ, with their texts. */
  #told = '[]';
  #changed: readonly string[] = [];

  constructor(options: ProfileWatchOptions) {
    this.#options = options;
    this.#plan(0);
  }

  /** Files that differ from what runs are launched with, each with how: `agent_profiles/profiles/Lead.yaml (changed)`. */
  get changed(): readonly string[] {
    return this.#changed;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #plan(ms: number): void {
    if (this.#isOver) return;
    const next = (): void => this.#plan(this.#options.every ?? usualPause);
    this.#timer = setTimeout(() => void this.#look().then(next, next), ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { folder } = this.#options;
    const stamp = await profileStamp(folder);
    if (stamp === this.#stamp) return;
    // A folder that is gone has no files.
    const { files } = await readProfileFiles([folder]);
    this.#stamp = stamp;
    this.#loaded ??= this.#asLoaded(files);
    const differing = differences(this.#loaded, files);
    const found = JSON.stringify(differing);
    if (found === this.#told || this.#isOver) return;
    this.#told = found;
    this.#changed = differing.map(({ path, how }) => `${path} (${how})`);
    this.#say();
  }

  /** Files of the folder that belong to no profile set count as they are at first. */
  #asLoaded(files: readonly ProfileFile[]): ReadonlyMap<string, string> {
    const loaded = new Map(this.#options.loaded.map(({ path, text }) => [path, text]));
    return new Map(files.map(({ path, text }) => [path, loaded.get(path) ?? text]));
  }

  #say(): void {
    const { tell, restart } = this.#options;
    if (this.#changed.length === 0) {
      tell('Profiles on disk are as they were loaded again.\n');
      return;
    }
    const names = this.#changed.slice(0, shownFiles).map((name) => safe(name, 200));
    const more = this.#changed.length > shownFiles ? `, and ${this.#changed.length - shownFiles} more` : '';
    tell(
      `Profiles changed on disk: ${names.join(', ')}${more}. New runs still use those that were loaded; restart ${restart} to load these.\n`,
    );
  }
}

function differences(loaded: ReadonlyMap<string, string>, files: readonly ProfileFile[]): readonly Difference[] {
  const now = new Map(files.map(({ path, text }) => [path, text]));
  const paths = [...new Set([...loaded.keys(), ...now.keys()])].toSorted();
  return paths.flatMap((path): readonly Difference[] => {
    const text = now.get(path);
    const before = loaded.get(path);
    if (text === before) return [];
    return [{ path, how: text === undefined ? 'removed' : before === undefined ? 'new' : 'changed', text: text ?? '' }];
  });
}
