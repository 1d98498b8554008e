import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { Journal } from '../../core/events/journal.ts';
import { placeOf } from '../../files/project-place.ts';
import type { IntegrityOptions } from '../../journal/commit-chain.ts';

/** Milliseconds between signs of life of an engine that holds runs, and of silence after which another may take them. */
export interface LeaseOptions {
  readonly heartbeatMs?: number;
  readonly expiryMs?: number;
}

/** Default path of a project's journal. */
export const defaultStorePath = path.join('.cadre', 'journal.db');

/** Opens a store: a path, `'memory'`, or a given journal. SQLite is loaded only when it is used. */
export async function openStore(
  store: string | Journal | undefined,
  options: {
    readonly durability?: 'normal' | 'full' | undefined;
    readonly leases?: LeaseOptions | undefined;
    readonly integrity?: IntegrityOptions | undefined;
  } = {},
): Promise<Journal> {
  const { durability = 'normal', leases = {}, integrity } = options;
  if (isJournal(store)) {
    if (integrity === undefined) return store;
    throw new CadreError(
      'OPTION_INVALID',
      'integrity is for journal files; a journal that is handed in is made with it: createSqliteJournal(path, { integrity })',
    );
  }
  if (store !== undefined && typeof store !== 'string') throw badStore(store);
  if (store === 'memory') {
    const { createMemoryJournal } = await import('../../journal/memory-journal.ts');
    return createMemoryJournal();
  }
  if (store === '' || store === ':memory:') throw badStore(store);
  // Not shown: it may hold a password.
  if (store !== undefined && /^\w+:\/\//.test(store))
    throw new CadreError(
      'OPTION_INVALID',
      'store is a URL, which names no file; open the journal on that server and pass it: createPostgresJournal({ url }) of cadre/postgres',
    );
  // A path that is not named by a program must not lead out of its project.
  if (store === undefined) placeOf(defaultStorePath);
  const { createSqliteJournal } = await import('../../journal/sqlite/sqlite-journal.ts');
  return createSqliteJournal(path.resolve(store ?? defaultStorePath), { durability, leases, integrity });
}

/** Returns the file of a store that is one: the named file, or that of a given journal. Undefined in memory, on a server, and for what is no store. */
export function journalFile(store: unknown = defaultStorePath): string | undefined {
  if (isJournal(store)) return path.isAbsolute(store.location) ? store.location : undefined;
  return typeof store !== 'string' || store === 'memory' ? undefined : store;
}

function isJournal(store: unknown): store is Journal {
  return typeof store === 'object' && store !== null && 'append' in store && 'acquire' in store && 'read' in store;
}

function badStore(store: unknown): CadreError {
  return new CadreError(
    'OPTION_INVALID',
    `store must be a path, 'memory', or a journal; it is ${store === '' ? 'empty' : String(store)}`,
  );
}
