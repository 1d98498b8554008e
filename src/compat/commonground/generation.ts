import type { JsonObject } from '../../core/json.ts';

/** Which generation of CommonGround a profile is of: v1 has segments, observers and rules, v2 (V1R3, V1R4) one prompt and lists of tools. */
export type Generation = 'v1' | 'v2';

/** Keys that only profiles of the second generation have. */
const secondOnly = [
  'worker_target',
  'system_prompt_template',
  'system_prompt',
  'allowed_tools',
  'allowed_internal_tools',
  'must_end_with',
  'require_submit_result',
  'delegation_policy',
  'llm_config',
] as const;

/** Every key a profile of the second generation may have, beside `name`. */
export const secondKeys: ReadonlySet<string> = new Set([...secondOnly, 'tags', 'description', 'display_name']);

/** Keys that only profiles of the first generation have. */
const firstOnly = [
  'system_prompt_construction',
  'tool_access_policy',
  'flow_decider',
  'base_profile',
  'llm_config_ref',
  'text_definitions',
  'pre_turn_observers',
  'post_turn_observers',
  'inbox_handling_strategies',
  'output_handling_config',
] as const;

/** The keys by which a file is known for a profile, wherever it lies. */
export const tellingKeys: readonly string[] = [...firstOnly, ...secondOnly];

/** Tells the generation of a profile by its keys; a file with keys of both is of the second one, with more. */
export function generationOf(data: JsonObject): Generation {
  return secondOnly.some((key) => key in data) ? 'v2' : 'v1';
}

/** The keys that show which generation it is, for the report. */
export function generationKeys(data: JsonObject): readonly string[] {
  return secondOnly.filter((key) => key in data);
}
