import { lstatSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { askGit, commandVariables, gitVariables, type AskGit, type GitAnswer, type GitEntry, type GitQuestion } from './ask-git.ts';
import { pathsNamed, worktreeSet, type NamedPath } from './git-commands.ts';
import { commonOf, kindOf, linkedWorktrees, modulesOf, repositoriesAbove, type GitRepository } from './git-repositories.ts';

/** Places that git runs or reads as configuration, wherever they lie and whatever their names. */
export interface GitPlaces {
  /** Absolute real paths, existing or not. */
  readonly places: readonly GitPlace[];
  /** Why git could not say all of it, with the repository it concerns: nothing there may be taken for harmless. */
  readonly unknown: readonly GitUnknown[];
}

/** Repository of which git could not say what it would run. */
export interface GitUnknown {
  readonly worktree: string;
  readonly why: string;
}

/** One place that git's configuration names. */
export interface GitPlace {
  readonly place: string;
  /** True when git opens this very path, so that it must not come to be; false for a word of a command, which is a script only as a file. */
  readonly isPath: boolean;
}

/** What is known of one repository, as long as the files that decide it stay the same. */
interface Known {
  readonly marks: ReadonlyMap<string, string>;
  readonly named: readonly (NamedPath & { readonly isLink?: boolean })[];
  readonly why: string | undefined;
}

/** A file that changed less than this many milliseconds ago may have changed again within one tick of the disk's clock. */
const unsureMs = 100;
const maxIncludes = 200;
const maxLinks = 40;
const maxKnown = 1_000;

/**
 * Knows what git would run in a folder. Asks git itself, once for each repository, and again only when a file that decided the answer has
 * changed: the files git named as origins, those it includes or would include, those of the user that may come to be, and submodules.
 *
 * Conditions (`includeIf`) are taken as met: the branch, the folder and the remotes that decide them change without a write of an agent.
 */
export class GitKnowledge {
  readonly #ask: AskGit;
  readonly #known = new Map<string, Promise<Known>>();

  constructor(ask: AskGit = askGit) {
    this.#ask = ask;
  }

  /**
   * Returns what git would run when it is used in one of these folders or above them. The `root` counts as a worktree even where no
   * repository is, since a user may make one there.
   */
  async placesFor(root: string, folders: readonly string[]): Promise<GitPlaces> {
    const repositories = new Map<string, GitRepository>();
    for (const found of repositoriesAbove([root, ...folders])) repositories.set(`${found.worktree}\0${found.gitFolder}`, found);
    const places = new Map<string, GitPlace>();
    const unknown: GitUnknown[] = [];
    const asked: readonly (GitRepository | undefined)[] = [undefined, ...repositories.values()];
    for (const repository of asked) {
      const worktree = repository?.worktree ?? root;
      const { named, why } = await this.#about(repository, worktree);
      if (why !== undefined) unknown.push({ worktree, why });
      for (const { place, as, isLink } of named) {
        const kind = as === 'word' || as === 'file' ? kindOf(place) : undefined;
        if (isLink !== true && (as === 'word' ? kind === 'folder' : as === 'file' && kind !== 'file')) continue;
        const isPath = isLink === true || as === 'config' || as === 'path';
        places.set(place, { place, isPath: isPath || places.get(place)?.isPath === true });
      }
    }
    return { places: [...places.values()], unknown };
  }

  async #about(repository: GitRepository | undefined, worktree: string): Promise<Known> {
    const key = JSON.stringify([
      repository?.gitFolder,
      worktree,
      gitVariables(),
      repository === undefined ? commandVariables() : [],
    ]);
    for (;;) {
      const before = this.#known.get(key);
      const known = await before;
      if (known !== undefined && [...known.marks].every(([place, mark]) => mark !== '' && markOf(place) === mark)) return known;
      // Another caller may have asked again meanwhile.
      if (this.#known.get(key) !== before) continue;
      const asking = this.#learn(repository, worktree);
      this.#known.delete(key);
      this.#known.set(key, asking);
      const [oldest] = this.#known.keys();
      if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
      const learned = await asking;
      // What failed may succeed next time, such as on a machine that was too busy for the time limit of git.
      if (learned.why !== undefined && this.#known.get(key) === asking) this.#known.delete(key);
      return learned;
    }
  }

  async #learn(repository: GitRepository | undefined, worktree: string): Promise<Known> {
    const started = Date.now();
    const learned = new Learned(this.#ask);
    try {
      if (repository === undefined) await learned.askUser(worktree);
      else await learned.askRepository(repository);
    } catch (thrown) {
      learned.fail(thrown instanceof Error ? thrown.message : String(thrown));
    }
    const marks = new Map([...learned.deciding].map((place) => [place, markOf(place, started)]));
    return { marks, named: learned.named, why: learned.why };
  }
}

/** Collects what git says of one repository. */
class Learned {
  readonly named: (NamedPath & { readonly isLink?: boolean })[] = [];
  /** Files and folders that decide the answer. */
  readonly deciding = new Set<string>(userFiles());
  why: string | undefined;
  readonly #ask: AskGit;
  readonly #read = new Set<string>();

  constructor(ask: AskGit) {
    this.#ask = ask;
  }

  fail(why: string): void {
    this.why ??= why;
  }

  /** Asks what counts outside of a repository: files and variables of the user. */
  async askUser(worktree: string): Promise<void> {
    for (const place of userFiles()) this.#add({ place, as: 'config' });
    await this.ask({ of: 'user' }, [worktree]);
    this.#take(commandVariables(), [worktree]);
  }

  /** Asks about a repository, and about its submodules and linked worktrees. */
  async askRepository({ worktree, gitFolder, commonFolder }: GitRepository): Promise<void> {
    const { modules, listed } = modulesOf({ worktree, gitFolder, commonFolder });
    const linked = linkedWorktrees({ worktree, gitFolder, commonFolder });
    for (const place of [...listed, ...linked.listed]) this.deciding.add(place);
    await this.#askFolder(gitFolder, commonFolder, worktree);
    for (const other of linked.worktrees)
      if (other.gitFolder !== gitFolder) await this.#askFolder(other.gitFolder, commonFolder, other.worktree);
    for (const module of modules) await this.#askFolder(module, commonOf(module), undefined);
  }

  async #askFolder(gitFolder: string, commonFolder: string, worktree: string | undefined): Promise<void> {
    const own = [path.join(commonFolder, 'config'), path.join(gitFolder, 'config.worktree')];
    for (const place of [...own, path.join(gitFolder, 'commondir')]) this.deciding.add(place);
    const entries = await this.ask({ of: 'repository', gitFolder }, worktree === undefined ? [] : [worktree]);
    const set = worktreeSet(entries, gitFolder);
    if (set !== undefined && set !== worktree) this.#take(entries, [set]);
    // `config.worktree` counts once the configuration says so, which git does by itself for some commands.
    for (const file of own)
      if (!this.#read.has(file) && kindOf(file) === 'file') await this.ask({ of: 'file', file }, [worktree ?? set ?? gitFolder]);
  }

  /** Asks a question, and then for each file that the answer includes or would include. */
  async ask(question: GitQuestion, worktrees: readonly string[]): Promise<readonly GitEntry[]> {
    const answer: GitAnswer = await this.#ask(question);
    if (answer.entries === undefined) {
      // Without git on this machine, nothing is known of what another machine's git would run.
      if (answer.why !== undefined) this.fail(answer.why);
      return [];
    }
    for (const { origin } of answer.entries) {
      if (origin === undefined || this.#read.has(origin)) continue;
      this.#read.add(origin);
      this.#add({ place: origin, as: 'config' });
    }
    const includes = this.#take(answer.entries, worktrees).filter((place) => !this.#read.has(place));
    for (const file of includes) {
      if (this.#read.has(file)) continue;
      this.#read.add(file);
      if (this.#read.size > maxIncludes) throw new Error('the configuration includes too many files');
      if (kindOf(file) === 'file') await this.ask({ of: 'file', file }, worktrees);
    }
    return answer.entries;
  }

  /** Notes what entries name; returns the included files. */
  #take(entries: readonly GitEntry[], worktrees: readonly string[]): readonly string[] {
    const paths = worktrees.flatMap((worktree) => entries.flatMap((entry) => pathsNamed(entry, worktree)));
    for (const each of paths) this.#add(each);
    return paths.filter(({ as }) => as === 'config').map(({ place }) => place);
  }

  /** Notes a path, and the links on the way to it: a replaced link leads git elsewhere. */
  #add(named: NamedPath): void {
    const { links, real } = follow(named.place);
    for (const link of links) {
      this.named.push({ place: link, as: 'path', isLink: true });
      this.deciding.add(link);
    }
    this.named.push({ ...named, place: real });
    if (named.as === 'config') this.deciding.add(real);
  }
}

/** Returns the links on the way to a path, and the path without them; what does not exist yet stays as it is spelled. */
function follow(place: string): { readonly links: readonly string[]; readonly real: string } {
  const links: string[] = [];
  let at = path.parse(place).root;
  let left = place.slice(at.length).split(path.sep);
  while (left.length > 0) {
    const [name = '', ...rest] = left;
    const next = path.join(at, name);
    const target = links.length < maxLinks ? linkTarget(next) : undefined;
    if (target === undefined) {
      at = next;
      left = rest;
    } else {
      links.push(next);
      const absolute = path.resolve(at, target);
      at = path.parse(absolute).root;
      left = [...absolute.slice(at.length).split(path.sep), ...rest];
    }
  }
  return { links, real: at };
}

function linkTarget(place: string): string | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(place) : undefined;
  } catch {
    // Below a file, or in a folder that may not be entered.
    return undefined;
  }
}

/** Returns the files of the user and of the system that git would read, existing or not. */
function userFiles(): readonly string[] {
  const variables = gitVariables();
  const home = variables['HOME'] ?? homedir();
  const global = variables['GIT_CONFIG_GLOBAL'];
  const config = variables['XDG_CONFIG_HOME'] ?? path.join(home, '.config');
  return [
    ...(global === undefined ? [path.join(home, '.gitconfig'), path.join(config, 'git/config')] : [path.resolve(global)]),
    variables['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig',
    '/usr/local/etc/gitconfig',
    '/opt/homebrew/etc/gitconfig',
  ];
}

/** Returns a text that changes whenever a file is written or replaced; empty while that is not yet reliable. */
function markOf(place: string, since = 0): string {
  try {
    const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    if (since > 0 && Number(found.ctimeMs) > since - unsureMs) return '';
    return `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
  } catch {
    return 'missing';
  }
}

// Pure cache: what git said of repositories, as long as the files that decide it stay the same.
const knowledge = new GitKnowledge();

/** Returns what git would run when it is used in one of these folders or above them; `root` counts as a worktree. */
export async function gitPlaces(root: string, folders: readonly string[] = []): Promise<GitPlaces> {
  return await knowledge.placesFor(root, folders);
}
