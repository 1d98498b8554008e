import path from 'node:path';
import { Document, parseDocument } from 'yaml';
import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileFile, ProfileSet } from '../../core/profile/profile.ts';
import type { ProfileChange, ProfileEdit } from '../../core/events/profile-edit.ts';
import { nameHint } from '../wording.ts';

/** Files as they are after some edits, not compiled yet, and what was changed. */
export interface EditedFiles {
  readonly files: readonly ProfileFile[];
  readonly changes: readonly ProfileChange[];
}

/**
 * Carries out edits on the files of a set, in order. What stays of a file keeps its words and comments. Whether the outcome makes
 * sense is for the compiler to say.
 *
 * @throws CadreError `OPTION_INVALID` when an edit names a profile that is not there, or one that is there already
 */
export function editProfileFiles(set: Pick<ProfileSet, 'profiles' | 'files'>, edits: readonly ProfileEdit[]): EditedFiles {
  const files = new Map(set.files.map((file) => [file.path, file]));
  const places = new Map([...set.profiles].map(([name, { source }]) => [name, source.file]));
  const folder = path.posix.dirname([...places.values()][0] ?? 'profiles/none');
  const changes = edits.map((edit) => applyEdit(edit, { files, places, folder }));
  return { files: [...files.values()], changes };
}

interface Desk {
  readonly files: Map<string, ProfileFile>;
  /** The file of each profile. */
  readonly places: Map<string, string>;
  /** Where profiles are. */
  readonly folder: string;
}

function applyEdit(edit: ProfileEdit, desk: Desk): ProfileChange {
  if ('create' in edit) return createProfile(edit.create, desk);
  if ('update' in edit) return updateProfile(edit.update, edit.with, desk);
  if ('disable' in edit) {
    changeKeys(edit.disable, { is_active: false }, desk);
    return { action: 'disabled', profile: edit.disable };
  }
  return renameProfile(edit.rename, edit.to, desk);
}

function createProfile(given: string | JsonObject, desk: Desk): ProfileChange {
  const name = typeof given === 'string' ? nameIn(given) : String(given['name'] ?? '');
  if (!/^\w[\w-]{0,99}$/.test(name)) throw invalid(`create: a profile needs a name of letters, digits, "_" and "-", not '${name}'`);
  if (desk.places.has(name)) throw invalid(`create: there is a profile '${name}' already; use update`);
  const file = path.posix.join(desk.folder, `${name}.yaml`);
  if (desk.files.has(file)) throw invalid(`create: the file ${file} is there already, for another profile`);
  write(file, typeof given === 'string' ? given : new Document(given).toString(), desk);
  desk.places.set(name, file);
  return { action: 'created', profile: name };
}

function updateProfile(name: string, given: string | JsonObject, desk: Desk): ProfileChange {
  if (typeof given === 'object') changeKeys(name, given, desk);
  else {
    const file = placeOf(name, desk);
    const named = nameIn(given);
    if (named !== name) throw invalid(`update: the text is that of '${named}', not of '${name}'; use rename to change a name`);
    write(file, given, desk);
  }
  return { action: 'updated', profile: name };
}

function renameProfile(name: string, to: string, desk: Desk): ProfileChange {
  if (desk.places.has(to)) throw invalid(`rename: there is a profile '${to}' already`);
  changeKeys(name, { name: to }, desk, true);
  desk.places.set(to, placeOf(name, desk));
  desk.places.delete(name);
  return { action: 'renamed', profile: name, to };
}

function changeKeys(name: string, keys: JsonObject, desk: Desk, mayRename = false): void {
  if (!mayRename && 'name' in keys && keys['name'] !== name) throw invalid('update: the name stays; use rename to change it');
  const file = placeOf(name, desk);
  const document = parseDocument(desk.files.get(file)?.text ?? '');
  for (const [key, value] of Object.entries(keys)) {
    if (value === null) document.delete(key);
    else document.set(key, document.createNode(value));
  }
  const rev = document.get('rev');
  document.set('rev', (typeof rev === 'number' ? rev : 1) + 1);
  write(file, document.toString(), desk);
}

function placeOf(name: string, { places }: Desk): string {
  const file = places.get(name);
  if (file === undefined) throw invalid(`there is no profile '${name}'; ${nameHint(name, places.keys(), 'there are')}`);
  return file;
}

/** The name that stands in the text of a profile; what else is in it is for the compiler. */
export function nameIn(text: string): string {
  return /^name:[ \t]*(["']?)([\w-]+)\1[ \t]*(?:#.*)?$/m.exec(text)?.[2] ?? '';
}

function write(file: string, text: string, { files }: Desk): void {
  files.set(file, { path: file, text });
}

function invalid(message: string): CadreError {
  return new CadreError('OPTION_INVALID', message);
}
