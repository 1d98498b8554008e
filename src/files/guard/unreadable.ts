import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { compileGlobs, type PathTest } from '../glob-pattern.ts';
import { plainPath } from '../plain-name.ts';
import { secretFiles } from './secret-files.ts';

/** The engine's folder in a workspace: undo texts, and the journal when the engine was started in the workspace. */
export const engineFolder = '.cadre';

/** Setting that lists the files the tools of a toolset do not read. */
export const unreadableSetting: JsonSchema = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 500 },
  maxItems: 200,
  description: 'Globs of paths that are neither read nor changed, in place of those that hold secrets.',
};

/** The same setting for programs in a sandbox; a launch request cannot widen it. */
export const unreadableInSandbox: JsonSchema = { ...unreadableSetting, 'x-request': false };

/** Globs of unreadable files: those of the toolset itself, or those of the other toolsets of its profiles. */
export interface Unreadable {
  /** Replaces the files with secrets, and `others`. */
  readonly own?: readonly string[];
  /** Added to the files with secrets. */
  readonly others: readonly string[];
}

/** Collects the globs of files a toolset must not read, from its settings and its profiles. */
export function unreadableOf({ settings, unreadable }: Pick<ToolsetRequest, 'settings' | 'unreadable'>): Unreadable {
  const own = globsIn(settings['unreadable']);
  return { others: unreadable ?? [], ...(own === undefined ? {} : { own }) };
}

/** Collects the globs that toolsets declare, for the toolsets that declare none. */
export function declaredUnreadable(settings: readonly JsonObject[]): readonly string[] {
  return [...new Set(settings.flatMap((each) => globsIn(each['unreadable']) ?? []))].toSorted();
}

/**
 * Compiles the test for files that tools neither read nor change: files with secrets and files that other toolsets do not read, or the
 * toolset's `own` globs instead; always includes the engine's folder. Paths are relative to the workspace.
 */
export function compileUnreadable({ own, others }: Unreadable): PathTest {
  if (own !== undefined) return compilePlain([...own, `/${engineFolder}`]);
  if (others.length === 0) return isUsual;
  const isOthers = compilePlain(others);
  return (path) => isUsual(path) || isOthers(path);
}

/** Compiles globs that also match other spellings of a name on lenient file systems. */
export function compilePlain(globs: readonly string[]): PathTest {
  const test = compileGlobs(globs);
  return (path) => {
    if (test(path)) return true;
    const plain = plainPath(path);
    return plain !== path.toLowerCase() && test(plain);
  };
}

const isUsual: PathTest = (path) => secretFiles.placeIn(path) !== undefined;

/** Returns the globs of a setting; undefined when it is not set. */
export function globsIn(value: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
