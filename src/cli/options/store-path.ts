import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { ownFolder } from '../trust/own-folder.ts';

/** Where a project's journal lies unless `--store` says otherwise. */
export const usualStore = path.join('.cadre', 'journal.db');

/** The folder for the reports of a run, or of a command, unless `--out` says otherwise. */
export async function usualReports(name: string): Promise<string> {
  return await ownFolder(path.join(path.dirname(usualStore), 'reports', name), '.', '--out DIR');
}

/** Makes sure that runs which name no workspace get theirs in the project of the journal. */
export async function checkUsualWorkspaces(store: string): Promise<void> {
  if (store === 'memory') return;
  const beside = path.dirname(path.resolve(store));
  const project = path.basename(beside) === '.cadre' ? path.dirname(beside) : beside;
  await ownFolder(path.join(beside, 'workspaces'), project, '--workspace DIR');
}

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
