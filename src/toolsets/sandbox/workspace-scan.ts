import { lstatSync, opendirSync, readdirSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { autoRunFiles } from '../../files/guard/auto-run-files.ts';
import { errorCode } from '../../files/error-code.ts';
import { environmentFile } from '../../files/guard/environments.ts';
import { gitFolderNames, gitNames, isGitFolder } from '../../files/guard/git/git-folder.ts';
import { openUpFolder } from '../../files/open-up-folder.ts';
import { plainName } from '../../files/plain-name.ts';
import { secretFiles } from '../../files/guard/secret-files.ts';
import { compileUnreadable, type Unreadable } from '../../files/guard/unreadable.ts';
import { toBuffer, toBytePath, toText, type BytePath } from './byte-path.ts';
import { isBin, isInstalledProgram, markOfProgram } from './installed-programs.ts';

/** Files found below the root of a scan, as relative byte paths. */
export interface Scan {
  /** Auto-run files and folders, with the programs that read them. */
  readonly autoRun: ReadonlyMap<BytePath, string>;
  /** Those among them that take the place of a program in `node_modules/.bin`, with marks that change when they are replaced. */
  readonly programs: ReadonlyMap<BytePath, string>;
  /** Files and folders with secrets. */
  readonly secrets: ReadonlySet<BytePath>;
  /** False when there were too many entries to see all of them. */
  readonly isComplete: boolean;
}

interface Finding {
  readonly name: string;
  /** Programs that read it, for an auto-run file. */
  readonly reader?: string;
  /** Mark of a program that takes the place of another one. */
  readonly mark?: string;
  readonly isSecret: boolean;
}

interface KnownFolder {
  /** Changes whenever an entry is created, renamed or removed; empty while that is not yet reliable. */
  readonly mark: string;
  readonly size: number;
  readonly folders: readonly Finding[];
  readonly found: readonly Finding[];
  readonly isGit: boolean;
  readonly isEnvironment: boolean;
}

interface OpenFolder {
  readonly folder: string;
  /** True when it lies in a folder that is hidden as a whole. */
  readonly isHidden: boolean;
}

/** Handling of folders that cannot be listed: leave them, or open them for their owner, since a command has closed them. */
export type ClosedFolders = 'leave' | 'open';

/** Maximum number of entries in one scan. */
const maxEntries = 3_000_000;
/** Size of a folder's list of names, in bytes, from which it is read in pieces. */
const longFolderBytes = 256 * 1024;
/**
 * Folders that installers fill. Packages contain settings for the editors and linters of their authors, which no program reads there; only
 * git repositories in them still count, since git runs their configuration for every user, and what decides which programs start.
 */
const packageFolders: ReadonlySet<string> = new Set(['node_modules', 'bower_components', 'site-packages', 'vendor']);
/**
 * Reader of a virtual environment under any name. Existing ones are kept from commands as a whole; of new ones, the parts that editors and
 * shells use are found by their names, so that a command cannot have a folder of the user moved away by putting such a part into it.
 */
export const environment = 'editors and shells, as an environment';
/** Maximum time a scan holds the thread without a pause, in milliseconds. */
const sliceMs = 8;
/** A folder that changed less than this many milliseconds ago may have changed again within one tick of the disk's clock. */
const unsureMs = 100;

/**
 * Finds auto-run files and files with secrets anywhere in a folder. Remembers what it read, so that a further scan costs one `lstat` per
 * folder and reads only folders that changed.
 */
export class WorkspaceScan {
  readonly #root: BytePath;
  readonly #isSecret: SecretTest;
  #known = new Map<string, KnownFolder>();
  #running: Promise<Scan> | undefined;

  /** `unreadable`: files to report as secrets; the usual files with secrets when absent. */
  constructor(root: string, unreadable: Unreadable = { others: [] }) {
    this.#root = toBytePath(root);
    this.#isSecret = secretTest(unreadable);
  }

  /** Scans the folder, after any scan that is under way: that one may have missed files created since. */
  async run(closed: ClosedFolders = 'leave'): Promise<Scan> {
    const before = this.#running;
    const mine = (async (): Promise<Scan> => {
      await before?.catch(() => undefined);
      return await this.#scan(closed);
    })();
    this.#running = mine;
    return await mine;
  }

  async #scan(closed: ClosedFolders): Promise<Scan> {
    const known = new Map<string, KnownFolder>();
    const autoRun = new Map<string, string>();
    const programs = new Map<string, string>();
    const secrets = new Set<string>();
    const open: OpenFolder[] = [{ folder: '', isHidden: false }];
    const pause = pauses();
    let entries = 0;
    for (let next = open.pop(); next !== undefined && entries <= maxEntries; next = open.pop()) {
      const { folder, isHidden } = next;
      let looked = await this.#look(folder, pause);
      if (looked === 'closed') looked = closed === 'open' && this.#openUp(folder) ? await this.#look(folder, pause) : undefined;
      await pause();
      if (looked === undefined || looked === 'closed') continue;
      known.set(folder, looked);
      entries += looked.size;
      const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
      for (const { name, reader, mark, isSecret } of looked.found) {
        if (reader !== undefined) autoRun.set(at(name), reader);
        if (mark !== undefined) programs.set(at(name), mark);
        if (isSecret && !isHidden) secrets.add(at(name));
      }
      if (looked.isGit) autoRun.set(folder === '' ? '.' : folder, 'git');
      else for (const { name, isSecret } of looked.folders) open.push({ folder: at(name), isHidden: isHidden || isSecret });
      if (looked.isEnvironment && folder !== '') autoRun.set(folder, environment);
    }
    this.#known = known;
    return { autoRun, programs, secrets, isComplete: entries <= maxEntries };
  }

  #place(folder: string): Buffer {
    return toBuffer(`${this.#root}/${folder}`);
  }

  /** Gives the owner of a folder, or of the root, permission to list it; false when that fails. */
  #openUp(folder: string): boolean {
    const above = this.#root.lastIndexOf('/');
    const [root, names] = folder === '' ? [this.#root.slice(0, above), this.#root.slice(above + 1)] : [this.#root, folder];
    const request = { requested: toText(folder), what: 'the workspace', encoding: 'latin1' } as const;
    return openUpFolder({ ...request, root: toText(root) || '/', parts: names.split('/') });
  }

  /** Returns the contents of a folder; undefined when it is gone or not a folder, `closed` when it may not be listed. */
  async #look(folder: string, pause: () => Promise<void>): Promise<KnownFolder | 'closed' | undefined> {
    const place = this.#place(folder);
    try {
      const stats = lstatSync(place, { bigint: true });
      if (!stats.isDirectory()) return undefined;
      const isSure = Date.now() - Number(stats.ctimeMs) > unsureMs;
      const mark = `${stats.dev}:${stats.ino}:${stats.ctimeNs}:${stats.mtimeNs}`;
      const before = this.#known.get(folder);
      if (before?.mark === mark) return before;
      return await this.#read(folder, isSure ? mark : '', listed(place, Number(stats.size), pause));
    } catch (thrown) {
      // A folder that may be entered but not listed hides files from a scan that git finds by name. Other errors: it was removed meanwhile.
      return errorCode(thrown) === 'EACCES' ? 'closed' : undefined;
    }
  }

  async #read(folder: string, mark: string, entries: AsyncIterable<Dirent> | Iterable<Dirent>): Promise<KnownFolder> {
    const inText = toText(folder);
    const above = folder === '' ? [] : inText.split('/').map(plainName);
    const isOfPackages = above.some((name) => packageFolders.has(name));
    const isPrograms = isBin(above.slice(0, -1), above.at(-1));
    let isEnvironment = false;
    const found: Finding[] = [];
    const folders: Finding[] = [];
    const ofGit = new Set<string>();
    let size = 1;
    const take = (entry: Dirent): void => {
      const { name } = entry;
      size += 1;
      const text = toText(name);
      const plain = plainName(text);
      const isLink = entry.isSymbolicLink();
      // A link could lead to programs in a folder of another name.
      const leads = isLink ? (plain === 'node_modules' ? 'environments' : autoRunFiles.groupOnWay(above, plain)) : undefined;
      const named = autoRunFiles.groupOf(above, plain) ?? leads;
      const isPackaged = (!isLink && isBin(above, plain)) || (isOfPackages && plain !== '.git' && named !== 'environments');
      const program = isPrograms ? path.join(toText(this.#root), inText, text) : undefined;
      const isStray = program !== undefined && !isInstalledProgram(program);
      const reader = isStray ? 'environments' : isPackaged ? undefined : named;
      const isSecret = this.#isSecret(above, plain, folder === '' ? text : `${inText}/${text}`);
      const mark = isStray ? { mark: markOfProgram(program) } : {};
      const finding = { name, isSecret, ...(reader === undefined ? {} : { reader }), ...mark };
      if (reader !== undefined || isSecret) found.push(finding);
      // An auto-run folder counts as a whole; a folder with secrets may contain auto-run files.
      if (reader === undefined && entry.isDirectory()) folders.push(finding);
      if (gitNames.has(plain)) ofGit.add(spelledByGit(name));
      if (plain === environmentFile) isEnvironment = true;
    };
    if (Symbol.iterator in entries) for (const entry of entries) take(entry);
    else for await (const entry of entries) take(entry);
    return { mark, size, folders, found, isGit: isGitFolder((name) => ofGit.has(name)), isEnvironment };
  }
}

/** True for a file with secrets, by the plain names of its folders and itself, and by its path. */
type SecretTest = (above: readonly string[], plain: string, path: string) => boolean;

/** Creates the test for secrets. Most workspaces have only the usual list, which is tested by names, since large folders have many. */
function secretTest(unreadable: Unreadable): SecretTest {
  const isUsual: SecretTest = (above, plain) => secretFiles.groupOf(above, plain) !== undefined;
  if (unreadable.own === undefined && unreadable.others.length === 0) return isUsual;
  const test = compileUnreadable(unreadable);
  return (_above, _plain, path) => test(path);
}

/** Creates a function that yields to other work of the thread when this work has held it for a while. */
function pauses(): () => Promise<void> {
  let ends = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < ends) return;
    await setImmediate();
    ends = performance.now() + sliceMs;
  };
}

/** Lists a folder: usually in one call; a long one in pieces, so that other work does not wait for it. */
function listed(place: Buffer, bytes: number, pause: () => Promise<void>): AsyncIterable<Dirent> | Iterable<Dirent> {
  return bytes < longFolderBytes ? readdirSync(place, { withFileTypes: true, encoding: 'latin1' }) : readSlowly(place, pause);
}

async function* readSlowly(place: Buffer, pause: () => Promise<void>): AsyncGenerator<Dirent> {
  const opened = opendirSync(place, { bufferSize: 256, encoding: 'latin1' });
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      yield entry;
      await pause();
    }
  } finally {
    opened.closeSync();
  }
}

/** Returns a name as git spells it; except on Linux, git finds its names in any letter case. */
function spelledByGit(name: string): string {
  if (process.platform === 'linux') return name;
  return gitFolderNames.find((own) => own.toLowerCase() === name.toLowerCase()) ?? name;
}
