import { CadreError, describeThrown } from '../core/error.ts';
import type { ProfileFile } from '../core/profile/profile.ts';
import { safe } from '../inspect/format/text/layout.ts';
import { profileStamp } from '../profiles/profile-stamp.ts';
import { readProfileFiles } from '../profiles/files/read-profile-files.ts';

/** Settings of a `ProfileWatch`. */
export interface ProfileWatchOptions {
  /** Folder or file that the profiles were loaded from. */
  readonly folder: string;
  /** Files as loaded. */
  readonly loaded: readonly ProfileFile[];
  /** Receives whole lines. */
  readonly tell: (text: string) => void;
  /** Command that loads the files again, for people. */
  readonly restart: string;
  /**
   * Loads the changed files and returns what to tell; when it rejects, they still differ from the loaded ones. Absent = nothing is loaded.
   */
  readonly reload?: (changed: readonly string[]) => Promise<string>;
  /** Milliseconds between two checks. */
  readonly every?: number;
}

const defaultIntervalMs = 2_000;
/** Maximum number of files named in one line. */
const maxFiles = 5;

interface Difference {
  readonly path: string;
  readonly how: 'changed' | 'new' | 'removed';
  readonly text: string;
}

/**
 * Reports once per change that profiles on disk differ from the loaded ones, or loads them. Compares names, sizes and times, reads files
 * only when one of these changed, and keeps no process alive.
 */
export class ProfileWatch implements Disposable {
  readonly #options: ProfileWatchOptions;
  /** Text of each compared file as loaded, by path; set by the first check. */
  #loaded: ReadonlyMap<string, string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;
  #stamp: string | undefined;
  /** Differences reported last, as JSON. */
  #reported = '[]';
  #changed: readonly string[] = [];
  #problem: string | undefined;
  /** Resolves once the first check is done: files that appear later are new. */
  readonly started: Promise<void>;

  constructor(options: ProfileWatchOptions) {
    this.#options = options;
    // A folder that cannot be read now may be readable at the next check.
    this.started = this.#check().catch(() => undefined);
    void this.started.then(() => this.#schedule());
  }

  /** Files that differ from the loaded ones, each with its kind of change: `agent_profiles/profiles/Lead.yaml (changed)`. */
  get changed(): readonly string[] {
    return this.#changed;
  }

  /** Why the files on disk could not be loaded, with file:line of each problem; undefined when they were, or need not be. */
  get problem(): string | undefined {
    return this.#problem;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isDisposed) return;
    const next = (): void => this.#schedule();
    this.#timer = setTimeout(() => void this.#check().then(next, next), this.#options.every ?? defaultIntervalMs);
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const { folder } = this.#options;
    const stamp = await profileStamp(folder);
    if (stamp === this.#stamp) return;
    // A deleted folder yields no files.
    const { files } = await readProfileFiles([folder]);
    this.#stamp = stamp;
    this.#loaded ??= this.#asLoaded(files);
    const differing = differences(this.#loaded, files);
    const found = JSON.stringify(differing);
    if (found === this.#reported || this.#isDisposed) return;
    this.#reported = found;
    this.#changed = differing.map(({ path, how }) => `${path} (${how})`);
    if (differing.length === 0) this.#problem = undefined;
    if (this.#options.reload === undefined || differing.length === 0) this.#report();
    else await this.#reload(this.#options.reload, files);
  }

  async #reload(reload: NonNullable<ProfileWatchOptions['reload']>, files: readonly ProfileFile[]): Promise<void> {
    const { tell } = this.#options;
    try {
      const told = await reload(this.#changed);
      this.#loaded = new Map(files.map(({ path, text }) => [path, text]));
      this.#reported = '[]';
      this.#changed = [];
      this.#problem = undefined;
      tell(told);
    } catch (thrown) {
      this.#problem = thrown instanceof CadreError ? thrown.message : describeThrown(thrown);
      tell(`${this.#names()} not loaded; new runs still use the profiles before.\n${this.#problem}\n`);
    }
  }

  /** Files of the folder that belong to no profile set are compared with their text at the first check. */
  #asLoaded(files: readonly ProfileFile[]): ReadonlyMap<string, string> {
    const loaded = new Map(this.#options.loaded.map(({ path, text }) => [path, text]));
    return new Map(files.map(({ path, text }) => [path, loaded.get(path) ?? text]));
  }

  #report(): void {
    const { tell, restart } = this.#options;
    if (this.#changed.length === 0) {
      tell('Profiles on disk match the loaded ones again.\n');
      return;
    }
    tell(
      `Profiles changed on disk: ${this.#names()}. New runs still use the loaded ones; restart ${restart} to load the changes.\n`,
    );
  }

  #names(): string {
    const names = this.#changed.slice(0, maxFiles).map((name) => safe(name, 200));
    return `${names.join(', ')}${this.#changed.length > maxFiles ? `, and ${this.#changed.length - maxFiles} more` : ''}`;
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
