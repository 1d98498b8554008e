import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { SourceFile } from './source-file.ts';
import { textsOf, type SourceTree } from './source-tree.ts';

/** Profiles that a profile of the second generation may delegate to. */
export interface Delegation {
  readonly callable: readonly string[];
  /** Names in the policy that are not profiles of the tree. */
  readonly missing: readonly string[];
}

/** Returns the tags of a profile, written as a list or a text with commas. */
export function tagsOf(data: JsonObject): readonly string[] {
  const { tags } = data;
  const list = typeof tags === 'string' ? tags.split(',') : textsOf(data, 'tags');
  return list.map((tag) => tag.trim()).filter((tag) => tag !== '');
}

/** Returns the text for `{downstream_roster}` in a prompt. */
export function rosterText(names: readonly string[], tree: SourceTree): string {
  if (names.length === 0) return 'No downstream profiles available.';
  const lines = names.map((name) => {
    const tags = tagsOf(tree.profiles.get(name)?.data ?? {});
    return tags.length === 0 ? `- ${name}` : `- ${name} (${tags.join(', ')})`;
  });
  return lines.join('\n');
}

/**
 * Applies `delegation_policy` to the profiles of the tree: `target_profiles` names them (null = all), `target_tags` requires one
 * of its tags; without a policy, every call was refused.
 */
export function delegationOf({ data }: SourceFile, tree: SourceTree): Delegation {
  const policy: JsonValue | undefined = data['delegation_policy'];
  if (!isJsonObject(policy)) return { callable: [], missing: [] };
  const tags = textsOf(policy, 'target_tags');
  const named = Array.isArray(policy['target_profiles']) ? textsOf(policy, 'target_profiles') : undefined;
  const isTagged = (name: string): boolean =>
    tags.length === 0 || tagsOf(tree.profiles.get(name)?.data ?? {}).some((tag) => tags.includes(tag));
  const known = (named ?? [...tree.profiles.keys()]).filter((name) => tree.profiles.has(name));
  return {
    callable: [...new Set(known.filter(isTagged))],
    missing: (named ?? []).filter((name) => !tree.profiles.has(name)),
  };
}
