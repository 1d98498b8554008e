import { chmodSync, lstatSync, opendirSync, readdirSync, type Dirent } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { autoRunFiles } from '../files/guard/auto-run-files.ts';
import { errorCode } from '../files/error-code.ts';
import { gitFolderNames, isGitFolder } from '../files/guard/git-folder.ts';
import { plainName } from '../files/plain-name.ts';
import { secretFiles } from '../files/guard/secret-files.ts';
import { compileUnreadable, type Unreadable } from '../files/guard/unreadable.ts';
import { toBuffer, toBytePath, toText, type BytePath } from './byte-path.ts';

/** What a scan found below its root, by relative byte paths. */
export interface Scan {
  /** Files and folders that make other programs run something, with who reads them. */
  readonly autoRun: ReadonlyMap<BytePath, string>;
  /** Files and folders that hold secrets. */
  readonly secrets: ReadonlySet<BytePath>;
  /** False when there was too much to look at all of it. */
  readonly isComplete: boolean;
}

interface Finding {
  readonly name: string;
  /** Who reads it, when it makes something run. */
  readonly reader?: string;
  readonly isSecret: boolean;
}

interface KnownFolder {
  /** Changes whenever something is made, renamed or removed in it; empty when that cannot be relied on yet. */
  readonly mark: string;
  readonly size: number;
  readonly folders: readonly Finding[];
  readonly found: readonly Finding[];
  readonly isGit: boolean;
}

interface OpenFolder {
  readonly folder: string;
  /** It lies in a folder that is hidden as a whole. */
  readonly isHidden: boolean;
}

const gitNames: ReadonlySet<string> = new Set(gitFolderNames.map((name) => name.toLowerCase()));

/** What is done with folders that cannot be listed: left as they are, or opened for their owner, since a command has closed them. */
export type ClosedFolders = 'leave' | 'open';

/** Most entries that one scan looks at. */
const maxEntries = 3_000_000;
/** A folder with a longer list of names, in bytes, is read bit by bit. */
const longFolderBytes = 256 * 1024;
/**
 * Folders that installers fill. Packages bring settings for their own authors' editors and linters along, which nothing reads there; only
 * a repository in them is one for every user who goes there.
 */
const packageFolders: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'site-packages',
  'venv',
  '.venv',
  '.tox',
  '.nox',
  'vendor',
]);
/** How long a scan holds the thread at a time, in milliseconds. */
const sliceMs = 8;
/** A folder that changed this shortly before it was read may have changed again within one tick of the disk's clock, in milliseconds. */
const unsureMs = 100;

/**
 * Looks for files that make other programs run something, and for those that hold secrets, in all of a folder. What it has read it
 * remembers, so that a further scan costs one look for each folder and reads those that changed.
 */
export class WorkspaceScan {
  readonly #root: BytePath;
  readonly #isSecret: SecretTest;
  #known = new Map<string, KnownFolder>();
  #running: Promise<Scan> | undefined;

  /** `unreadable` says what is not to be read; what holds secrets when absent. */
  constructor(root: string, unreadable: Unreadable = { others: [] }) {
    this.#root = toBytePath(root);
    this.#isSecret = secretTest(unreadable);
  }

  /** Scans the folder. A scan that is under way does not count: it may have passed by what was made since. */
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
    const secrets = new Set<string>();
    const open: OpenFolder[] = [{ folder: '', isHidden: false }];
    const pause = pauses();
    let entries = 0;
    for (let next = open.pop(); next !== undefined && entries <= maxEntries; next = open.pop()) {
      const { folder, isHidden } = next;
      let looked = await this.#look(folder, pause);
      if (looked === 'closed')
        looked = closed === 'open' && openUp(this.#place(folder)) ? await this.#look(folder, pause) : undefined;
      await pause();
      if (looked === undefined || looked === 'closed') continue;
      known.set(folder, looked);
      entries += looked.size;
      const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
      for (const { name, reader, isSecret } of looked.found) {
        if (reader !== undefined) autoRun.set(at(name), reader);
        if (isSecret && !isHidden) secrets.add(at(name));
      }
      if (looked.isGit) autoRun.set(folder === '' ? '.' : folder, 'git');
      else for (const { name, isSecret } of looked.folders) open.push({ folder: at(name), isHidden: isHidden || isSecret });
    }
    this.#known = known;
    return { autoRun, secrets, isComplete: entries <= maxEntries };
  }

  #place(folder: string): Buffer {
    return toBuffer(`${this.#root}/${folder}`);
  }

  /** What is in a folder; undefined for one that is gone or is none, `closed` for one that may not be listed. */
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
      // A folder that may be entered but not listed hides from a scan what git finds by its name. Others are gone since they were listed.
      return errorCode(thrown) === 'EACCES' ? 'closed' : undefined;
    }
  }

  async #read(folder: string, mark: string, entries: AsyncIterable<Dirent> | Iterable<Dirent>): Promise<KnownFolder> {
    const inText = toText(folder);
    const above = folder === '' ? [] : inText.split('/').map(plainName);
    const isOfPackages = above.some((name) => packageFolders.has(name));
    const found: Finding[] = [];
    const folders: Finding[] = [];
    const ofGit = new Set<string>();
    let size = 1;
    const take = (entry: Dirent): void => {
      const { name } = entry;
      size += 1;
      const text = toText(name);
      const plain = plainName(text);
      const named =
        autoRunFiles.groupOf(above, plain) ?? (entry.isSymbolicLink() ? autoRunFiles.groupOnWay(above, plain) : undefined);
      const reader = isOfPackages && plain !== '.git' ? undefined : named;
      const isSecret = this.#isSecret(above, plain, folder === '' ? text : `${inText}/${text}`);
      const finding = { name, isSecret, ...(reader === undefined ? {} : { reader }) };
      if (reader !== undefined || isSecret) found.push(finding);
      // Of what runs something, all is; what only holds secrets may have such a thing in it.
      if (reader === undefined && entry.isDirectory()) folders.push(finding);
      if (gitNames.has(plain)) ofGit.add(spelledByGit(name));
    };
    if (Symbol.iterator in entries) for (const entry of entries) take(entry);
    else for await (const entry of entries) take(entry);
    return { mark, size, folders, found, isGit: isGitFolder((name) => ofGit.has(name)) };
  }
}

/** Gives the owner of a folder the right to look into it. False when that cannot be done. */
function openUp(place: Buffer): boolean {
  try {
    const { mode } = lstatSync(place);
    chmodSync(place, (mode & 0o7777) | 0o700);
    return true;
  } catch {
    return false;
  }
}

/** Tells of a file by the plain names of its folders, its own, and its path; what lies in a folder that is not read is not asked. */
type SecretTest = (above: readonly string[], plain: string, path: string) => boolean;

/** Most workspaces have only the usual list, which is asked by names: a large folder has many of them. */
function secretTest(unreadable: Unreadable): SecretTest {
  const isUsual: SecretTest = (above, plain) => secretFiles.groupOf(above, plain) !== undefined;
  if (unreadable.own === undefined && unreadable.others.length === 0) return isUsual;
  const test = compileUnreadable(unreadable);
  return (_above, _plain, path) => test(path);
}

/** Lets other work of the thread through when this work has held it for a while. */
function pauses(): () => Promise<void> {
  let ends = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < ends) return;
    await setImmediate();
    ends = performance.now() + sliceMs;
  };
}

/** What is in a folder. Most are read at once; one that is long is read bit by bit, so that no other work has to wait for it. */
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

/** Git finds its own names in any letter case where the disk does. */
function spelledByGit(name: string): string {
  if (process.platform === 'linux') return name;
  return gitFolderNames.find((own) => own.toLowerCase() === name.toLowerCase()) ?? name;
}
