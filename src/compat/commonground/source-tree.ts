import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { SourceFile } from './source-file.ts';

/** Facts about all files of a tree that the conversion of each file needs. */
export interface SourceTree {
  /** Profiles to convert, by name. */
  readonly profiles: ReadonlyMap<string, SourceFile>;
  readonly llmConfigs: ReadonlySet<string>;
  /** MCP servers that become toolsets. */
  readonly servers: ReadonlySet<string>;
  /** First segments of `state` paths that observers set, and `flags.name` for flags. */
  readonly ownState: ReadonlySet<string>;
}

/** Returns the name of a file's base, if any. */
export function baseOf(file: SourceFile): string | undefined {
  const base = file.data['base_profile'];
  return typeof base === 'string' && base !== '' ? base : undefined;
}

/** Returns a profile and its bases, nearest first; undefined when a base is missing or they form a circle. */
export function chainOf(file: SourceFile, profiles: ReadonlyMap<string, SourceFile>): readonly SourceFile[] | undefined {
  const chain = [file];
  for (let name = baseOf(file); name !== undefined;) {
    const base = profiles.get(name);
    if (base === undefined || chain.includes(base)) return undefined;
    chain.push(base);
    name = baseOf(base);
  }
  return chain;
}

/** Returns the maps in a list of a file. */
export function itemsOf(data: JsonObject, ...keys: readonly string[]): readonly JsonObject[] {
  let at: JsonValue | undefined = data;
  for (const key of keys) at = isJsonObject(at) ? at[key] : undefined;
  return Array.isArray(at) ? (at as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** Returns the texts in a list of a file. */
export function textsOf(data: JsonObject, ...keys: readonly string[]): readonly string[] {
  let at: JsonValue | undefined = data;
  for (const key of keys) at = isJsonObject(at) ? at[key] : undefined;
  return Array.isArray(at) ? (at as readonly JsonValue[]).filter((item) => typeof item === 'string') : [];
}

/** Returns the state that observers set: the first segment of each path, and flags as `flags.name`. */
export function ownStateOf(files: Iterable<SourceFile>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { data } of files) {
    for (const key of ['pre_turn_observers', 'post_turn_observers']) {
      for (const observer of itemsOf(data, key)) {
        for (const { path } of itemsOf(observer, 'action', 'updates')) {
          const [name, second] = typeof path === 'string' ? path.replace(/^state\./, '').split(/[.[]/) : [];
          if (name !== undefined && name !== '') names.add(name === 'flags' ? `flags.${second ?? ''}` : name);
        }
      }
    }
  }
  return names;
}
