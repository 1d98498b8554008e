import type { JsonSchema } from '../../core/json.ts';
import { number, object, oneOf, text, whole, words, named, list } from './schema-parts.ts';
import { entryDefaults, entryGroups, mostEntries, mostEntryChars, visibleScopes } from '../../core/profile/visibility.ts';

const kindNames = Object.keys(entryDefaults);

/** Returns the schema of a whole number for every kind, or one per kind. */
function perKind(description: string, most: number): JsonSchema {
  const bound = { type: 'integer', minimum: 1, maximum: most } as const;
  return {
    type: ['integer', 'object'],
    minimum: 1,
    maximum: most,
    properties: Object.fromEntries(kindNames.map((kind) => [kind, { ...bound, description: `For ${kind}.` }])),
    additionalProperties: false,
    'x-what': 'a bound of visibility',
    description,
  };
}

const scope = oneOf(
  'own: its own history before the current task; conversation: messages of the person and the first agent; team: actions of all other agents; below: actions of the agents it started; global: the list team.shared.global.',
  visibleScopes,
);

/** Schema of the peer history an agent sees: a list of scopes, or a map with bounds. */
const visibilitySchema: JsonSchema = {
  type: ['array', 'object'],
  items: scope,
  required: ['show'],
  properties: {
    show: list('Scopes of the history shown.', scope),
    kinds: list(
      'Kinds of entries shown, or groups of them; default: all.',
      oneOf('Kind of entry, or group.', [...kindNames, ...Object.keys(entryGroups)]),
    ),
    last: perKind('Number of latest entries shown, for all kinds or per kind.', mostEntries),
    chars: perKind('Maximum length of an entry, in characters, for all kinds or per kind.', mostEntryChars),
  },
  additionalProperties: false,
  'x-what': 'visibility',
  description: 'History of other agents that the model sees: a list of scopes, or a map with show, kinds, last, chars.',
};

const truncate: JsonSchema = {
  type: ['integer', 'object'],
  minimum: 1,
  properties: {
    tool_result: whole('Maximum length of a tool result, in characters.', 1),
    user: whole('Maximum length of a user message, in characters.', 1),
    assistant: whole('Maximum length of a reply, in characters.', 1),
  },
  additionalProperties: false,
  description: 'Maximum length of a text in characters, for all messages or per kind.',
};

const compaction = object(
  'Summarises old messages when the prompt grows too long; needs context_window in the LLM config, max_tokens, or at_tokens.',
  {
    at: number('Starts at this share of the context window, or of max_tokens when that is smaller; default 0.8.', 0, 1),
    at_tokens: whole('Starts at this number of tokens; overrides at.', 1),
    at_actions: whole('Also starts when this many replies with tool calls are visible.', 2),
    at_task_end: { type: 'boolean', description: 'Also starts before a request that follows a completed task.' },
    keep: whole('Number of newest messages kept unchanged; default 10.', 0),
    keep_tokens: whole('Size of the newest messages kept unchanged, in tokens; at most half the size at which it starts.', 0),
    llm_config: named(words('LLM config or model that summarises; default: that of the profile.'), 'llm_configs'),
    instructions: text('Instructions to the summariser, instead of the default ones.'),
    on_failure: oneOf('When summarising fails: window (the default) leaves out older messages, stop ends the agent.', [
      'window',
      'stop',
    ]),
  },
  { 'x-what': 'compaction' },
);

const rendering: JsonSchema = {
  ...object(
    'Form in which the model sees the history.',
    {
      style: oneOf('chat (the default): a conversation; event_stream: one message of numbered events.', ['chat', 'event_stream']),
      full: whole('For event_stream: number of newest events shown in full; default 5.', 1),
      lines: whole('For event_stream: maximum number of lines per text of older events; default 20.', 2),
    },
    {
      'x-what': 'rendering',
      'x-mistakes': { summarise_after: 'write at_actions under compaction', on: 'write at_task_end under compaction' },
    },
  ),
};

/** Schema of `context_policy`. */
export const contextPolicy = object(
  'The part of its history that the model sees.',
  {
    window: whole('Maximum number of history messages in a prompt; 0 = all.', 0),
    truncate,
    max_tokens: whole('Maximum size of a prompt, in estimated tokens; older messages are left out to stay within it.', 1),
    warn_at: number("Share of the model's context window at which the agent is warned; default 0.7.", 0, 1),
    stop_at: number("Share of the model's context window at which the agent gets its last turn; default 0.98.", 0, 1),
    result_preview: whole(
      'Maximum length, in characters, of a tool result shown in full; longer results are shown as a preview with a token.',
      200,
    ),
    compaction,
    visibility: visibilitySchema,
    rendering,
  },
  { 'x-what': 'context_policy' },
);
