import type { JsonObject } from './json.ts';

/** Where an item's text goes: its own message, or in front of the last message of that role. */
export type InjectionMode = 'append_as_new_message' | 'prepend_to_role';

/** How items of one source become part of the prompt. */
export interface Strategy {
  readonly ingestor: string;
  readonly mode: InjectionMode;
  readonly role: 'user' | 'tool';
  /** Kept in the agent's messages, or seen in this turn only. */
  readonly persistent: boolean;
  readonly params: JsonObject;
  /** Items of the source are framed as data, and taint. */
  readonly untrusted?: boolean;
  /** Overrides the source's priority. */
  readonly priority?: number;
}

const append = 'append_as_new_message';

function strategy(ingestor: string, persistent: boolean, params: JsonObject = {}, mode: InjectionMode = append): Strategy {
  return { ingestor, mode, role: 'user', persistent, params };
}

/** The global strategy table (A1.3). Observer failures come as user-role notes: system messages in mid-history are refused by some providers. */
export const globalStrategies: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ['TOOL_RESULT', { ingestor: 'tool_result', mode: append, role: 'tool', persistent: true, params: {} }],
  ['AGENT_STARTUP_BRIEFING', strategy('protocol_aware', true, { no_handover: true })],
  ['SELF_REFLECTION_PROMPT', strategy('templated_content', false, {}, 'prepend_to_role')],
  ['INTERNAL_DIRECTIVE', strategy('templated_content', true)],
  [
    'PARTNER_DIRECTIVE',
    strategy('markdown_formatter', true, { title: '### Directive from Partner', key_renames: { content: 'Instruction' } }),
  ],
  ['PRINCIPAL_COMPLETED', strategy('generic_message', true)],
  ['ALL_WORK_COMPLETED_PROMPT', strategy('generic_message', false, {}, 'prepend_to_role')],
  ['PROFILES_UPDATED_NOTIFICATION', strategy('generic_message', false, {}, 'prepend_to_role')],
  ['WORK_MODULES_EDITED', strategy('generic_message', true)],
  ['WORK_MODULES_STATUS_UPDATE', strategy('work_modules', false)],
  ['PRINCIPAL_ACTIVITY_UPDATE', strategy('principal_history_summary', false)],
  ['VISIBLE_HISTORY', strategy('visible_history', false)],
  ['FIM_INSTRUCTION', strategy('templated_content', true)],
  ['JSON_HISTORY_FOR_LLM', strategy('json_history', true)],
  ['TOOL_INPUTS_BRIEFING', strategy('markdown_formatter', true)],
  ['ORIGINAL_QUESTION', strategy('tagged_content', true)],
  ['OBSERVER_FAILURE', strategy('observer_failure', false)],
  ['LIMIT_NOTICE', strategy('generic_message', false)],
  ['STAGNATION_NOTICE', strategy('generic_message', false)],
  ['TOOLS_CHANGED', strategy('generic_message', true)],
  ['BROWSER_STATE', { ...strategy('markdown_formatter', false, { title: '### The browser' }), untrusted: true }],
  ['HUMAN_ANSWER', strategy('generic_message', true)],
  ['USER_PROMPT', strategy('user_prompt', true)],
]);

/**
 * True for sources by which the engine, people and profiles speak to an agent: a tool's result cannot post under them. Sources that
 * are untrusted from the start are open to it.
 */
export function isReservedSource(source: string): boolean {
  const known = globalStrategies.get(source);
  return known !== undefined && known.untrusted !== true;
}

/** What happens to items of a source nobody has a strategy for: labelled Markdown, kept in memory. */
export const fallbackStrategy: Strategy = strategy('markdown_formatter', true);
