import type { JsonObject, JsonSchema, JsonValue } from '../../../core/json.ts';
import type { ToolsetRequest } from '../../../core/tool/toolset.ts';
import { compileGlobs, type PathTest } from '../glob-pattern.ts';
import { plainPath } from '../plain-name.ts';
import { secretFiles } from './secret-files.ts';

/** The engine's own folder in a workspace: undo texts, and the journal when the workspace is where it was started. */
export const engineFolder = '.cadre';

/** The setting that says what the tools of a toolset do not read. */
export const unreadableSetting: JsonSchema = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 500 },
  maxItems: 200,
  description: 'Globs of paths that are neither read nor changed, in place of those that hold secrets.',
};

/** The same setting for programs in a sandbox; a launcher of runs does not widen what they see. */
export const unreadableInSandbox: JsonSchema = { ...unreadableSetting, 'x-request': false };

/** Globs of what is not read: those of the toolset itself, or those of the other toolsets of its profiles. */
export interface Unreadable {
  /** In place of the files that hold secrets, and of `others`. */
  readonly own?: readonly string[];
  /** Besides the files that hold secrets. */
  readonly others: readonly string[];
}

/** What a toolset must not read, as its settings and the profiles around it say. */
export function unreadableOf({ settings, unreadable }: Pick<ToolsetRequest, 'settings' | 'unreadable'>): Unreadable {
  const own = globsIn(settings['unreadable']);
  return { others: unreadable ?? [], ...(own === undefined ? {} : { own }) };
}

/** The globs that toolsets declare, for those that declare none. */
export function declaredUnreadable(settings: readonly JsonObject[]): readonly string[] {
  return [...new Set(settings.flatMap((each) => globsIn(each['unreadable']) ?? []))].toSorted();
}

/**
 * Compiles what is neither read nor changed, for every tool that reads files: what holds secrets and what other toolsets do not read, unless
 * globs of its own say what instead, and always what the engine keeps. Paths are relative to the workspace.
 */
export function compileUnreadable({ own, others }: Unreadable): PathTest {
  if (own !== undefined) return compilePlain([...own, `/${engineFolder}`]);
  if (others.length === 0) return isUsual;
  const isOthers = compilePlain(others);
  return (path) => isUsual(path) || isOthers(path);
}

/** Compiles globs that also mean what lenient file systems take for the same names. */
export function compilePlain(globs: readonly string[]): PathTest {
  const test = compileGlobs(globs);
  return (path) => {
    if (test(path)) return true;
    const plain = plainPath(path);
    return plain !== path.toLowerCase() && test(plain);
  };
}

const isUsual: PathTest = (path) => secretFiles.placeIn(path) !== undefined;

function globsIn(value: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
