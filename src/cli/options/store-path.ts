import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { indexesBeside } from '../../files/guard/engine-places.ts';
import { placeOf } from '../../files/project-place.ts';
import { ownFolder } from '../trust/own-folder.ts';
import { isServerStore, shownServer } from './server-store.ts';

/** Default path of the journal, relative to the working folder. */
export const defaultStore = path.join('.cadre', 'journal.db');

/** Returns the default folder for reports of a run or command. */
export async function defaultReports(name: string): Promise<string> {
  return await ownFolder(path.join(path.dirname(defaultStore), 'reports', name), '.', '--out DIR');
}

/**
 * Checks that no link that came with a project leads to the journal: out of the working folder for the default one, out of its project for
 * a named one. Fails with FOLDER_UNTRUSTED or PATH_REFUSED.
 */
export async function checkStorePlace(store: string | undefined): Promise<void> {
  if (store === undefined || isServerStore(store)) await ownFolder(defaultStore, '.', '--store PATH');
  else if (store !== 'memory') placeOf(store);
}

/** Checks that no link that came with a project leads to folders that a command line names. Fails with PATH_REFUSED. */
export function checkNamedFolders(folders: readonly (string | undefined)[]): void {
  for (const folder of folders) if (folder !== undefined) placeOf(folder, { isFolder: true });
}

/** Returns the folder that keeps indexes of documents beside a journal; undefined when the journal is in memory. */
export function documentCache(store: string): string | undefined {
  return store === 'memory' ? undefined : indexesBeside(path.resolve(store));
}

/** Checks that default workspaces lie in the project of the journal. Fails with FOLDER_UNTRUSTED. */
export async function checkDefaultWorkspaces(store: string): Promise<void> {
  if (store === 'memory') return;
  const beside = path.dirname(storePath(store));
  const project = path.basename(beside) === '.cadre' ? path.dirname(beside) : beside;
  await ownFolder(path.join(beside, 'workspaces'), project, '--workspace DIR');
}

/**
 * Returns the absolute path of the journal file named by `--store`. For a server it is the default file, which need not exist: notes, letters
 * and workspaces of runs lie beside it.
 */
export function storePath(store: string | undefined): string {
  if (store === '') throw new CadreError('OPTION_INVALID', '--store is empty; name the path of a journal');
  if (store === 'memory')
    throw new CadreError('OPTION_INVALID', '--store memory keeps nothing after its process ends; name the path of a journal');
  return path.resolve(store === undefined || isServerStore(store) ? defaultStore : store);
}

/** Returns the path beside which this machine keeps what belongs to runs; `memory` for a journal in memory. */
export function storePlace(store: string | undefined): string {
  return store === 'memory' ? store : storePath(store);
}

/** Returns the journal for people. */
export function shownStore(store: string | undefined): string {
  if (isServerStore(store)) return shownServer(store);
  const file = storePath(store);
  const relative = path.relative('', file);
  return relative === '' || relative.startsWith('..') ? file : relative;
}

/** Returns the arguments with which a command finds this journal again; empty for the default one. */
export function storeArguments(store: string | undefined): readonly string[] {
  if (isServerStore(store)) return ['--store', shownServer(store)];
  if (store === undefined || path.resolve(store) === path.resolve(defaultStore)) return [];
  return [
    '--store',
    path.relative('', path.resolve(store)).startsWith('..') ? path.resolve(store) : path.relative('', path.resolve(store)),
  ];
}
