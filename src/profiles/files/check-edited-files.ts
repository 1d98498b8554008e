import { isCodeFile } from '../../core/tool/code-files.ts';
import { CadreError } from '../../core/error.ts';
import { splitVariables } from '../../core/expression/variables.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { parseProfileFiles } from './parse-profile-files.ts';
import { Report } from '../report.ts';
import type { SourceNode } from '../yaml/source-node.ts';

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
