import { randomUUID } from 'node:crypto';
import { constants, readdirSync, realpathSync, type Stats } from 'node:fs';
import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { CadreError } from '../core/error.ts';
import { errorCode } from './error-code.ts';
import { showPath } from './inside-path.ts';
import { makeFolders } from './make-folder.ts';
import { withOpenFolder, withOpenFolderSync, type OpenFolder } from './open-folder.ts';

/**
 * Folder that the engine keeps in a place of others: letters and notes beside a journal, indexes of documents.
 *
 * 1. A project can come with such a folder. No link below `root` is followed, neither as a folder on the way nor as a file.
 * 2. Files are written under another name first: a reader sees a whole file, or none.
 * 3. What the engine makes here is private to its user.
 *
 * Methods that change something fail with STORE_FAILED when a link is on the way.
 */
export class EngineFolder {
  readonly #root: string;
  readonly #parts: readonly string[];
  readonly path: string;

  /** `root` is the folder that is trusted to be what it seems, such as that of the journal; it may be missing at first. */
  constructor(root: string, parts: readonly string[]) {
    this.#root = root;
    this.#parts = parts;
    this.path = path.join(root, ...parts);
  }

  /**
   * Makes the folder where it is missing.
   *
   * @throws CadreError `STORE_FAILED` when a link is on the way
   */
  async make(): Promise<void> {
    await this.#use(async () => undefined, true);
  }

  /** True when it exists, no link leads to it, and only this user can write into it and into the folders on the way. */
  async isPrivate(): Promise<boolean> {
    try {
      for (let depth = 1; depth <= this.#parts.length; depth += 1)
        if (!(await new EngineFolder(this.#root, this.#parts.slice(0, depth)).#use(isOwn))) return false;
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
      if (error instanceof CadreError && error.code === 'STORE_FAILED') return false;
      throw error;
    }
  }

  /** Returns the names of what it holds; none when it is missing, or when a link is on the way. */
  names(): readonly string[] {
    try {
      return withOpenFolderSync(this.#request(false), (folder) => readdirSync(folder.at('.')));
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
      if (error instanceof CadreError && error.code === 'PATH_REFUSED') return [];
      throw error;
    }
  }

  /** Returns what is known of an entry, of a link itself; undefined when nothing is there. */
  async stat(name: string): Promise<Stats | undefined> {
    return await this.#orMissing(async (folder) => await lstat(entry(folder, name)));
  }

  /** Reads a text of at most `maxBytes`; undefined when there is no regular file of that size. */
  async read(name: string, maxBytes: number): Promise<{ readonly text: string; readonly writtenAt: number } | undefined> {
    // Opening a pipe or a device would wait, or do something.
    if ((await this.stat(name))?.isFile() !== true) return undefined;
    return await this.#orMissing(async (folder) => {
      await using handle = await open(entry(folder, name), existingFile);
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > maxBytes) return undefined;
      return { text: await handle.readFile('utf8'), writtenAt: stats.mtimeMs };
    });
  }

  /** Writes a file, whole or not at all; makes the folder where it is missing. */
  async write(name: string, text: string): Promise<void> {
    await this.#use(async (folder) => {
      const part = folder.at(`.${randomUUID()}.part`);
      try {
        await using handle = await open(part, newFile, 0o600);
        await handle.writeFile(text);
        await rename(part, entry(folder, name));
      } finally {
        await rm(part, { force: true });
      }
    }, true);
  }

  /** Opens a new file for writing and reading; fails when something of that name is there. The caller closes it. */
  async create(name: string): Promise<FileHandle> {
    return await this.#use(async (folder) => await open(entry(folder, name), newFile, 0o600));
  }

  /** Opens a file for reading. The caller closes it. */
  async open(name: string): Promise<FileHandle> {
    return await this.#use(async (folder) => await open(entry(folder, name), existingFile));
  }

  /** Renames an entry over what has the other name; false when nothing is there. */
  async rename(from: string, to: string): Promise<boolean> {
    return (await this.#orMissing(async (folder) => (await rename(entry(folder, from), entry(folder, to)), true))) ?? false;
  }

  /** Removes an entry with all it holds, of a link the link itself; false when nothing is there. */
  async remove(name: string): Promise<boolean> {
    return (await this.#orMissing(async (folder) => (await rm(entry(folder, name), { recursive: true }), true))) ?? false;
  }

  /** Sets the time of a regular file. */
  async touch(name: string, time: Date): Promise<void> {
    await this.#use(async (folder) => {
      await using handle = await open(entry(folder, name), existingFile);
      await handle.utimes(time, time);
    });
  }

  async #orMissing<T>(use: (folder: OpenFolder) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#use(use);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #use<T>(use: (folder: OpenFolder) => Promise<T>, create = false): Promise<T> {
    try {
      return await withOpenFolder(this.#request(create), use);
    } catch (error) {
      if (!(error instanceof CadreError) || error.code !== 'PATH_REFUSED') throw error;
      const reason = String(error.details['reason'] ?? error.message);
      const message = `${this.path} is not used: it is a link or behind one (${reason}), and may have come with a project; remove the link`;
      throw new CadreError('STORE_FAILED', message, { cause: error, details: { reason } });
    }
  }

  #request(create: boolean) {
    const root = create ? makeFolders(this.#root, 0o700).path : realpathSync(this.#root);
    return { root, parts: this.#parts, requested: this.path, what: this.#root, create, folderMode: 0o700 };
  }
}

// Windows has no such flag.
const noFollow = constants.O_NOFOLLOW ?? 0;
// Opening a pipe must not wait for its other end.
const existingFile = constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0);
const newFile = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow;

/** Returns the path of an entry through its open folder. Names may come from a journal, and may not lead elsewhere. */
function entry(folder: OpenFolder, name: string): string | Buffer {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name))
    throw new CadreError('PATH_REFUSED', `${showPath(name)} is not the name of a file in ${showPath(folder.path)}`);
  return folder.at(name);
}

async function isOwn(folder: OpenFolder): Promise<boolean> {
  const found = await lstat(folder.at('.'));
  // Systems without user ids protect a user's folders themselves.
  const user = process.getuid?.();
  return user === undefined || (found.uid === user && (found.mode & 0o022) === 0);
}
