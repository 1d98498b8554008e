import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileFile, ProfileSet } from '../../core/profile/profile.ts';
import type { ProfileChange, ProfileEdit } from '../../core/events/profile-edit.ts';
import { nameHint } from '../wording.ts';
import { yamlLibrary } from '../yaml/yaml-library.ts';
import { isCodeFile } from '../../core/tool/code-files.ts';
import { splitVariables } from '../../core/expression/variables.ts';
import { parseProfileFiles } from './parse-profile-files.ts';
import { Report } from '../report.ts';
import type { SourceNode } from '../yaml/source-node.ts';

/** Files after edits, not compiled yet, with the list of changes. */
interface EditedFiles {
  readonly files: readonly ProfileFile[];
  readonly changes: readonly ProfileChange[];
}

/**
 * Applies edits to the files of a set, in order; unchanged parts keep their text and comments. The compiler checks the result.
 *
 * @throws CadreError `OPTION_INVALID` when an edit names a profile that does not exist, or creates one that does
 */
export function editProfileFiles(set: Pick<ProfileSet, 'profiles' | 'files'>, edits: readonly ProfileEdit[]): EditedFiles {
  const files = new Map(set.files.map((file) => [file.path, file]));
  const places = new Map([...set.profiles].map(([name, { source }]) => [name, source.file]));
  const folder = path.posix.dirname([...places.values()][0] ?? 'profiles/none');
  const changes = edits.map((edit) => applyEdit(edit, { files, places, folder }));
  return { files: [...files.values()], changes };
}

interface EditContext {
  readonly files: Map<string, ProfileFile>;
  /** Path of the file of each profile. */
  readonly places: Map<string, string>;
  /** Folder for new profiles. */
  readonly folder: string;
}

function applyEdit(edit: ProfileEdit, context: EditContext): ProfileChange {
  if ('create' in edit) return createProfile(edit.create, context);
  if ('update' in edit) return updateProfile(edit.update, edit.with, context);
  if ('disable' in edit) {
    changeKeys(edit.disable, { is_active: false }, { context });
    return { action: 'disabled', profile: edit.disable };
  }
  return renameProfile(edit.rename, edit.to, context);
}

function createProfile(given: string | JsonObject, context: EditContext): ProfileChange {
  const name = typeof given === 'string' ? nameIn(given) : String(given['name'] ?? '');
  if (!/^\w[\w-]{0,99}$/.test(name)) throw invalid(`create: a profile needs a name of letters, digits, "_" and "-", not '${name}'`);
  if (context.places.has(name)) throw invalid(`create: the profile '${name}' already exists; use update`);
  const file = path.posix.join(context.folder, `${name}.yaml`);
  if (context.files.has(file)) throw invalid(`create: the file ${file} already exists, for another profile`);
  write(file, typeof given === 'string' ? given : new (yamlLibrary().Document)(given).toString(), context);
  context.places.set(name, file);
  return { action: 'created', profile: name };
}

function updateProfile(name: string, given: string | JsonObject, context: EditContext): ProfileChange {
  if (typeof given === 'object') changeKeys(name, given, { context });
  else {
    const file = placeOf(name, context);
    const named = nameIn(given);
    if (named !== name) throw invalid(`update: the text is of profile '${named}', not '${name}'; use rename to change a name`);
    write(file, given, context);
  }
  return { action: 'updated', profile: name };
}

function renameProfile(name: string, to: string, context: EditContext): ProfileChange {
  if (context.places.has(to)) throw invalid(`rename: the profile '${to}' already exists`);
  changeKeys(name, { name: to }, { context, mayRename: true });
  context.places.set(to, placeOf(name, context));
  context.places.delete(name);
  return { action: 'renamed', profile: name, to };
}

function changeKeys(
  name: string,
  keys: JsonObject,
  { context, mayRename = false }: { readonly context: EditContext; readonly mayRename?: boolean | undefined },
): void {
  if (!mayRename && 'name' in keys && keys['name'] !== name) throw invalid('update: the name cannot be changed here; use rename');
  const file = placeOf(name, context);
  const document = yamlLibrary().parseDocument(context.files.get(file)?.text ?? '');
  for (const [key, value] of Object.entries(keys)) {
    if (value === null) document.delete(key);
    else document.set(key, document.createNode(value));
  }
  const rev = document.get('rev');
  document.set('rev', (typeof rev === 'number' ? rev : 1) + 1);
  write(file, document.toString(), context);
}

function placeOf(name: string, { places }: EditContext): string {
  const file = places.get(name);
  if (file === undefined) throw invalid(`there is no profile '${name}'; ${nameHint(name, places.keys(), 'there are')}`);
  return file;
}

/** Returns the name in the text of a profile; the compiler checks the rest. */
export function nameIn(text: string): string {
  return /^name:[ \t]*(["']?)([\w-]+)\1[ \t]*(?:#.*)?$/m.exec(text)?.[2] ?? '';
}

function write(file: string, text: string, { files }: EditContext): void {
  files.set(file, { path: file, text });
}

function invalid(message: string): CadreError {
  return new CadreError('OPTION_INVALID', message);
}

/**
 * Refuses unsafe content in an edit of profiles. Edits may come from any client of a run, also over HTTP: a new toolset could
 * start programs, an LLM config could send keys to another address, and a variable could copy an environment value into a text.
 *
 * @throws CadreError `OPTION_INVALID`, naming the file and the refused content
 */
export function checkEditedFiles(before: readonly ProfileFile[], after: readonly ProfileFile[], request: JsonObject): void {
  const texts = new Map(before.map(({ path, text }) => [path, text]));
  const changed = after.filter(({ path, text }) => texts.get(path) !== text);
  for (const file of changed) checkKind(file);
  const named = variablesOf(changed);
  if (named.size === 0) return;
  const known = variablesOf(before);
  for (const name of named) if (!known.has(name) && !isAsked(name, request)) throw tooMuch(name);
}

function checkKind(file: ProfileFile): void {
  if (isCodeFile(file.path))
    throw new CadreError('OPTION_INVALID', `${file.path}: an edit may contain profiles only, and this is code`);
  const { profile: _profile, ...others } = parseProfileFiles([file], new Report()).roots;
  const [other] = Object.entries(others).find(([, roots]) => roots.length > 0) ?? [];
  if (other !== undefined)
    throw new CadreError(
      'OPTION_INVALID',
      `${file.path}: an edit may contain profiles only, and this would be a file of kind ${other}`,
    );
}

/** Returns the variables in profiles, not those in settings and LLM configs. */
function variablesOf(files: readonly ProfileFile[]): ReadonlySet<string> {
  const names = new Set<string>();
  const read = (node: SourceNode): void => {
    if (node.kind === 'list') node.items.forEach(read);
    else if (node.kind === 'map') for (const { value } of node.entries.values()) read(value);
    else if (typeof node.value === 'string')
      for (const piece of splitVariables(node.value)) if (typeof piece !== 'string') names.add(piece.name);
  };
  const withVariables = files.filter(({ text }) => mayName(text));
  for (const file of withVariables) parseProfileFiles([file], new Report()).roots.profile.forEach(read);
  return names;
}

/** True when a text may contain a variable: YAML can write each of its characters as an escape. */
function mayName(text: string): boolean {
  return text.includes('${') || text.includes('\\');
}

/** True when the request sets the variable. Its value overrides the environment and stays available when the run resumes. */
function isAsked(name: string, request: JsonObject): boolean {
  const value = Object.hasOwn(request, name) ? request[name] : undefined;
  return value !== undefined && value !== null && value !== '';
}

function tooMuch(name: string): CadreError {
  return new CadreError(
    'OPTION_INVALID',
    `an edit must not read environment variables that the profiles did not read, and \${${name}} is new; write the value, or \\\${ for a literal \${`,
  );
}
