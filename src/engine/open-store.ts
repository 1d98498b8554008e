import path from 'node:path';
import { CadreError } from '../core/error.ts';
import type { Journal } from '../core/journal.ts';

/** Where a project's journal lies unless told otherwise. */
export const defaultStorePath = path.join('.cadre', 'journal.db');

/** Opens what `store` names: a path, `'memory'`, or a journal that is handed in. SQLite is loaded only when it is used. */
export async function openStore(store: string | Journal | undefined, durability: 'normal' | 'full' = 'normal'): Promise<Journal> {
  if (typeof store === 'object') return store;
  if (store === 'memory') {
    const { createMemoryJournal } = await import('../stores/memory-journal.ts');
    return createMemoryJournal();
  }
  if (store === '') throw new CadreError('OPTION_INVALID', "store must be a path, 'memory', or a journal; it is empty");
  const { createSqliteJournal } = await import('../stores/sqlite-journal.ts');
  return createSqliteJournal(path.resolve(store ?? defaultStorePath), { durability });
}
