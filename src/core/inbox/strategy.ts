import type { JsonObject } from '../json.ts';

/** Placement of an item's text: as a separate message, or in front of the last message of that role. */
export type InjectionMode = 'append_as_new_message' | 'prepend_to_role';

/** Rules for turning items of one source into parts of the prompt. */
export interface Strategy {
  readonly ingestor: string;
  readonly mode: InjectionMode;
  readonly role: 'user' | 'tool';
  /** True when agents keep the message; false when only this turn sees it. */
  readonly persistent: boolean;
  readonly params: JsonObject;
  /** Items of the source are framed as data, and taint. */
  readonly untrusted?: boolean;
  /** Lower is read first. */
  readonly priority?: number;
  /** False when an item of the source does not wake a waiting agent: its next turn reads it. */
  readonly wakes?: boolean;
}

const append = 'append_as_new_message';

/** Optional fields of a table row. */
type Rest = Partial<Pick<Strategy, 'mode' | 'role' | 'params' | 'untrusted' | 'priority' | 'wakes'>>;

function strategy(ingestor: string, persistent: boolean, rest: Rest = {}): Strategy {
  return { ingestor, mode: append, role: 'user', persistent, params: {}, ...rest };
}

const inFront = { mode: 'prepend_to_role' } as const;

/**
 * Built-in sources (A1.3): their ingestors and priorities, and those that do not wake a waiting agent. A profile may override
 * each entry and add sources. Observer failures are user messages: some providers refuse system messages in mid-history.
 *
 * The next turn reads items that do not wake: otherwise a failing observer could keep an agent awake for ever.
 */
export const globalStrategies: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ['TOOL_RESULT', strategy('tool_result', true, { role: 'tool', priority: 0, wakes: false })],
  ['OBSERVER_FAILURE', strategy('observer_failure', false, { priority: 5, wakes: false })],
  ['STAGNATION_NOTICE', strategy('generic_message', false, { priority: 6, wakes: false })],
  ['AGENT_STARTUP_BRIEFING', strategy('protocol_aware', true, { params: { no_handover: true }, priority: 8 })],
  ['HUMAN_ANSWER', strategy('generic_message', true, { priority: 9 })],
  [
    'PARTNER_DIRECTIVE',
    strategy('markdown_formatter', true, {
      params: { title: '### Directive from Partner', key_renames: { content: 'Instruction' } },
      priority: 10,
    }),
  ],
  ['PRINCIPAL_COMPLETED', strategy('generic_message', true, { priority: 10 })],
  ['INTERNAL_DIRECTIVE', strategy('templated_content', true, { priority: 15 })],
  ['SELF_REFLECTION_PROMPT', strategy('templated_content', false, { ...inFront, priority: 20 })],
  ['WORK_MODULES_STATUS_UPDATE', strategy('work_modules', false, { priority: 90 })],
  ['PRINCIPAL_ACTIVITY_UPDATE', strategy('principal_history_summary', false, { priority: 90 })],
  ['ALL_WORK_COMPLETED_PROMPT', strategy('generic_message', false, inFront)],
  ['PROFILES_UPDATED_NOTIFICATION', strategy('generic_message', false, { ...inFront, wakes: false })],
  ['WORK_MODULES_EDITED', strategy('generic_message', true, { wakes: false })],
  ['FIM_INSTRUCTION', strategy('templated_content', true)],
  ['JSON_HISTORY_FOR_LLM', strategy('json_history', true)],
  ['TOOL_INPUTS_BRIEFING', strategy('markdown_formatter', true)],
  ['ORIGINAL_QUESTION', strategy('tagged_content', true)],
  ['LIMIT_NOTICE', strategy('generic_message', false, { wakes: false })],
  ['TOOLS_CHANGED', strategy('generic_message', true, { wakes: false })],
  ['BROWSER_STATE', strategy('markdown_formatter', false, { params: { title: '### The browser' }, untrusted: true })],
  ['USER_PROMPT', strategy('user_prompt', true, { priority: 100 })],
  ['VISIBLE_HISTORY', strategy('visible_history', false, { priority: 110 })],
]);

/** Priority of sources that define none (A1.3). */
export const unknownSourcePriority = 99;

/** True when items of a source wake a waiting agent, by its profile, else by the table, else by default. */
export function wakesAgent(source: string, own: ReadonlyMap<string, Strategy> | undefined): boolean {
  return own?.get(source)?.wakes ?? globalStrategies.get(source)?.wakes ?? true;
}

/** True for a text that can only be the name of a source: it is shown to models and to telemetry, outside of all frames. */
export function isSourceName(source: unknown): source is string {
  return typeof source === 'string' && /^[A-Za-z][\w.:-]{0,99}$/.test(source);
}

/**
 * True for sources that the engine, people and profiles use to address an agent: a tool's result cannot post under them. It can
 * post under sources that the table marks as untrusted.
 */
export function isReservedSource(source: string): boolean {
  const known = globalStrategies.get(source);
  return known !== undefined && known.untrusted !== true;
}

/** Strategy for items of an unknown source: labelled Markdown, kept in history. */
export const fallbackStrategy: Strategy = strategy('markdown_formatter', true);
