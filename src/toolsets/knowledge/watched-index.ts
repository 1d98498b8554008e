import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { Resource } from '../../core/tool/resource-scope.ts';
import { compileGlob } from '../../files/glob-pattern.ts';
import { versionOf } from '../../files/open-file.ts';
import { makeFoldersInside } from '../../files/make-folder.ts';
import { readAhead } from '../../files/read-ahead.ts';
import { readInside, type InsideText, type NotRead } from '../../files/read-inside.ts';
import { resolveInside } from '../../files/resolve-inside.ts';
import { walkFiles } from '../workspace/walk-files.ts';
import { engineFolder } from '../../files/guard/unreadable.ts';
import type { WorkspaceSettings } from '../workspace/workspace-settings.ts';
import { lookAt } from '../../files/write-inside.ts';
import { KnowledgeIndex, resultPrefix, type IndexedText, type IndexRoot } from './knowledge-index.ts';

/** Result of a check of the folders. */
export interface RefreshResult {
  readonly indexed: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly skipped: readonly string[];
}

const debounceMs = 2_000;
const maxFiles = 20_000;
const maxWatched = 2_000;

/**
 * The index of a workspace, which watches the indexed folders (A1.13): changes are indexed two seconds after the last one, or before the
 * next search when that is earlier.
 */
export class WatchedIndex {
  readonly index: KnowledgeIndex;
  readonly #root: string;
  readonly #settings: WorkspaceSettings;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #closing = new AbortController();
  #isStale = false;
  /** True when not everything could be watched: each search then checks the folders itself. */
  #isPartlyWatched = false;
  #timer: NodeJS.Timeout | undefined;
  #busy: Promise<unknown> = Promise.resolve();

  private constructor(index: KnowledgeIndex, root: string, settings: WorkspaceSettings) {
    this.index = index;
    this.#root = root;
    this.#settings = settings;
  }

  static async open(workspace: string, settings: WorkspaceSettings): Promise<Resource<WatchedIndex>> {
    const { root } = await resolveInside(workspace, '.', 'the workspace');
    // Neither the folder nor the file may be a link to another place.
    const { absolute } = await resolveInside(root, `${engineFolder}/knowledge.db`, 'the workspace');
    makeFoldersInside(root, [engineFolder]);
    const index = await openOrRecreate(absolute);
    const watched = new WatchedIndex(index, root, settings);
    // Changes since earlier runs were not observed.
    watched.#isStale = index.roots().length > 0;
    return { value: watched, close: async () => await watched.#close() };
  }

  /** Indexes the files of a root, and watches it from now on. */
  async add(root: IndexRoot, signal: AbortSignal): Promise<RefreshResult> {
    return await this.#enqueue(async () => {
      const found = await this.#checkRoot(root, signal);
      this.index.addRoot(root);
      return found;
    });
  }

  /** Brings the index up to date with the folders. */
  async refresh(signal: AbortSignal): Promise<void> {
    // Changes made before this call may not have reached the watcher yet.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#enqueue(async () => await this.#refreshIfStale(signal));
  }

  async #refreshIfStale(signal: AbortSignal): Promise<void> {
    if (!this.#isStale && !this.#isPartlyWatched) return;
    this.#isStale = false;
    for (const root of this.index.roots()) await this.#checkRoot(root, signal);
  }

  async #checkRoot({ path, glob, tags }: IndexRoot, signal: AbortSignal): Promise<RefreshResult> {
    const matches = compileGlob(glob);
    const known = this.index.versions(path);
    const isMine = (source: string): boolean => !source.startsWith(resultPrefix) && isIn(source, path);
    const gone = new Set([...known.keys()].filter((source) => isMine(source) && matches(below(source, path))));
    const [fresh, skipped]: [IndexedText[], string[]] = [[], []];
    let [indexed, unchanged] = [0, 0];
    const kept: string[] = [];
    const wanted = this.#filesOf(path, signal, (file) => matches(below(file, path)));
    for await (const [file, read] of readAhead(wanted, async (name) => await this.#readChanged(name, known.get(name)))) {
      gone.delete(file);
      if (indexed + unchanged >= maxFiles)
        throw new CadreError('TOOL_FAILED', `There are more than ${maxFiles} files. Name a smaller folder, or a glob.`);
      if (read === 'unchanged') {
        kept.push(file);
        unchanged += 1;
        continue;
      }
      if ('reason' in read) {
        skipped.push(`${file} (${read.reason})`);
        if (known.has(file)) gone.add(file);
        continue;
      }
      fresh.push({ source: file, version: read.version, text: read.text, tags });
      indexed += 1;
      if (fresh.length >= 50) this.index.put(fresh.splice(0));
    }
    this.index.put(fresh);
    this.index.tag(kept, tags);
    this.index.remove([...gone]);
    return { indexed, unchanged, removed: gone.size, skipped };
  }

  async #readChanged(file: string, known: string | undefined): Promise<InsideText | NotRead | 'unchanged'> {
    const stats = known === undefined ? undefined : await lookAt(join(this.#root, file));
    if (stats !== undefined && versionOf(stats) === known) return 'unchanged';
    return await readInside(this.#root, file, this.#settings.maxFileBytes);
  }

  async *#filesOf(path: string, signal: AbortSignal, matches: (file: string) => boolean): AsyncGenerator<string> {
    const inside = await resolveInside(this.#root, path === '' ? '.' : path, 'the workspace');
    const { isUnreadable } = this.#settings;
    this.#watch(inside.found === 'folder' ? path : path.split('/').slice(0, -1).join('/'));
    if (inside.found === 'file' && !isUnreadable(inside.path) && matches(inside.path)) yield inside.path;
    if (inside.found !== 'folder') return;
    const combined = AbortSignal.any([signal, this.#closing.signal]);
    for await (const entry of walkFiles({
      root: this.#root,
      start: path,
      maxDepth: 50,
      hidden: false,
      isUnreadable,
      signal: combined,
    })) {
      if (entry.kind === 'folder') this.#watch(entry.path);
      if (entry.kind === 'file' && matches(entry.path)) yield entry.path;
    }
  }

  /** Watches one folder, not those below: the walk visits each of them, and skips the excluded ones. */
  #watch(folder: string): void {
    if (this.#watchers.has(folder) || this.#closing.signal.aborted) return;
    if (this.#watchers.size >= maxWatched) {
      this.#isPartlyWatched = true;
      return;
    }
    try {
      const watcher = watch(join(this.#root, folder), { persistent: false }, (_event, name) => {
        if (name !== engineFolder) this.#touch();
      });
      watcher.on('error', () => this.#unwatch(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder is gone, or the system has no more watchers: from now on each search checks for itself.
      this.#isPartlyWatched = true;
    }
  }

  /** Forgets a failed watcher; the folder is watched again at the next check. */
  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    this.#isStale = true;
  }

  #touch(): void {
    this.#isStale = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#closing.signal.aborted) return;
      // The next search meets this error, since it checks again.
      this.#enqueue(async () => await this.#refreshIfStale(this.#closing.signal)).catch(() => {
        this.#isStale = true;
      });
    }, debounceMs);
    this.#timer.unref();
  }

  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#busy.then(work);
    this.#busy = result.then(
      () => undefined,
      () => undefined,
    );
    return await result;
  }

  async #close(): Promise<void> {
    this.#closing.abort(new CadreError('ENGINE_CLOSED', 'The knowledge base was closed.'));
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    await this.#busy;
    this.index.close();
  }
}

/** Opens the index; a damaged one is created again, since all its content exists elsewhere. */
async function openOrRecreate(path: string): Promise<KnowledgeIndex> {
  try {
    return await KnowledgeIndex.open(path);
  } catch (error) {
    if (!(error instanceof Error) || !/not a database|malformed/.test(error.message)) throw error;
    const { removeDatabase } = await import('../../files/database-file.ts');
    removeDatabase(path);
    return await KnowledgeIndex.open(path);
  }
}

function isIn(source: string, path: string): boolean {
  return path === '' || source === path || source.startsWith(`${path}/`);
}

/** Returns a source relative to its root, for matching globs. */
function below(source: string, path: string): string {
  return path === '' || source === path ? source : source.slice(path.length + 1);
}
