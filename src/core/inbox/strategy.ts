import type { JsonObject } from '../json.ts';

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
  /** Lower is read first. */
  readonly priority?: number;
  /** False when an item of the source wakes no agent that waits: it is read with the next turn. */
  readonly wakes?: boolean;
}

const append = 'append_as_new_message';

/** What a row of the table says besides ingestor and memory. */
type Rest = Partial<Pick<Strategy, 'mode' | 'role' | 'params' | 'untrusted' | 'priority' | 'wakes'>>;

function strategy(ingestor: string, persistent: boolean, rest: Rest = {}): Strategy {
  return { ingestor, mode: append, role: 'user', persistent, params: {}, ...rest };
}

const inFront = { mode: 'prepend_to_role' } as const;

/**
 * The sources that Cadre knows (A1.3): how they are read, in which order, and whether they wake an agent that waits. A profile may say
 * otherwise of each, and anything of sources of its own. Observer failures come as user-role notes: system messages in mid-history are refused by some providers.
 *
 * What does not wake is read with the next turn: waking an agent for it would let a failing observer keep it awake for ever.
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

/** The priority of sources that say none (A1.3). */
export const unknownSourcePriority = 99;

/** Whether items of a source wake an agent that waits: what its profile says, else the table, else yes. */
export function wakesAgent(source: string, own: ReadonlyMap<string, Strategy> | undefined): boolean {
  return own?.get(source)?.wakes ?? globalStrategies.get(source)?.wakes ?? true;
}

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
