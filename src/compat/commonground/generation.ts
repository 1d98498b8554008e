import type { JsonObject } from '../../core/json.ts';

/**
 * Generation of CommonGround profiles: v1 has segments, observers and rules; v2 (V1R3, V1R4) has one prompt and lists of tools.
 */
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

/** All keys of second-generation profiles, apart from `name`. */
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

/** Keys that identify a file as a profile, wherever it is. */
export const tellingKeys: readonly string[] = [...firstOnly, ...secondOnly];

/** Returns the generation of a profile by its keys; a file with keys of both is of the second. */
export function generationOf(data: JsonObject): Generation {
  return secondOnly.some((key) => key in data) ? 'v2' : 'v1';
}

/** Returns the keys that identify the generation, for the report. */
export function generationKeys(data: JsonObject): readonly string[] {
  return secondOnly.filter((key) => key in data);
}
