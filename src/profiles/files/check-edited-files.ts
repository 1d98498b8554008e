import { isCodeFile } from '../../core/tool/code-files.ts';
import { CadreError } from '../../core/error.ts';
import { splitVariables } from '../../core/expression/variables.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { parseProfileFiles } from './parse-profile-files.ts';
import { Report } from '../report.ts';
import type { SourceNode } from '../yaml/source-node.ts';

/**
 * Refuses what an edit of profiles must not bring along. It comes from whoever reaches a run, also over HTTP: a toolset would start
 * programs, an LLM config would send keys to an address, and a variable would put a value of the environment into a text.
 *
 * @throws CadreError `OPTION_INVALID`, naming the file and what is too much
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
    throw new CadreError('OPTION_INVALID', `${file.path}: an edit holds profiles and nothing else, and this is code`);
  const { profile: _profile, ...others } = parseProfileFiles([file], new Report()).roots;
  const [other] = Object.entries(others).find(([, roots]) => roots.length > 0) ?? [];
  if (other !== undefined)
    throw new CadreError(
      'OPTION_INVALID',
      `${file.path}: an edit holds profiles and nothing else, and this would be a file of kind ${other}`,
    );
}

/** The variables that profiles name; those of settings and LLM configs are not theirs. */
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

/** Whether a text may name a variable: YAML can write each of its characters as an escape. */
function mayName(text: string): boolean {
  return text.includes('${') || text.includes('\\');
}

/** A value of the request goes before the environment, and is there whenever the run goes on. */
function isAsked(name: string, request: JsonObject): boolean {
  const value = Object.hasOwn(request, name) ? request[name] : undefined;
  return value !== undefined && value !== null && value !== '';
}

function tooMuch(name: string): CadreError {
  return new CadreError(
    'OPTION_INVALID',
    `an edit reads no more of the environment than the profiles did, and \${${name}} is new; write the value, or \\\${ for a literal \${`,
  );
}
