import path from 'node:path';
import { CadreError } from '../../core/error.ts';

/** Where a project's journal lies unless `--store` says otherwise. */
export const usualStore = path.join('.cadre', 'journal.db');

/** The journal file that `--store` names, as an absolute path. */
export function storePath(store: string | undefined): string {
  if (store === '') throw new CadreError('OPTION_INVALID', '--store is empty; give the path of a journal file');
  if (store === 'memory')
    throw new CadreError('OPTION_INVALID', '--store memory keeps nothing after its process; name the file of a journal');
  return path.resolve(store ?? usualStore);
}

/** What to add to a command so that it finds this journal again; nothing for the usual one. */
export function storeWords(store: string | undefined): readonly string[] {
  if (store === undefined || path.resolve(store) === path.resolve(usualStore)) return [];
  return [
    '--store',
    path.relative('', path.resolve(store)).startsWith('..') ? path.resolve(store) : path.relative('', path.resolve(store)),
  ];
}
