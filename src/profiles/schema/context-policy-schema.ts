import type { JsonSchema } from '../../core/json.ts';
import { number, object, oneOf, text, whole, words, named } from './schema-parts.ts';
import { visibilitySchema } from './visibility-schema.ts';

const truncate: JsonSchema = {
  type: ['integer', 'object'],
  minimum: 1,
  properties: {
    tool_result: whole('Longest tool result, in characters.', 1),
    user: whole('Longest user message, in characters.', 1),
    assistant: whole('Longest reply, in characters.', 1),
  },
  additionalProperties: false,
  description: 'Longest text in characters, for all messages or per kind.',
};

const compaction = object(
  'A summariser replaces old messages when the prompt grows too long; it needs context_window in the LLM config, max_tokens, or at_tokens.',
  {
    at: number('Share of the context size, or of max_tokens when that is less, at which it begins; default 0.8.', 0, 1),
    at_tokens: whole('The same in tokens; wins over at.', 1),
    at_actions: whole('It begins as well when so many replies with calls are in view.', 2),
    at_task_end: { type: 'boolean', description: 'It begins as well before a request that follows a task that is over.' },
    keep: whole('Newest messages that are kept as they are; default 10.', 0),
    keep_tokens: whole('Newest messages that are kept as they are, in tokens; never more than half of where it begins.', 0),
    llm_config: named(words('The LLM config or model that summarises; default: that of the profile.'), 'llm_configs'),
    instructions: text('What the summariser is told in place of the usual words.'),
    on_failure: oneOf(
      'What happens when there is no summary: older messages are left out (window, the default), or the agent ends (stop).',
      ['window', 'stop'],
    ),
  },
  { 'x-what': 'compaction' },
);

const rendering: JsonSchema = {
  ...object(
    'How the history is shown.',
    {
      style: oneOf('As a conversation (chat, the default), or as one message of numbered events.', ['chat', 'event_stream']),
      full: whole('For event_stream: the newest events that are shown in full; default 5.', 1),
      lines: whole('For event_stream: most lines of each text of an older event; default 20.', 2),
    },
    {
      'x-what': 'rendering',
      'x-mistakes': { summarise_after: 'write at_actions under compaction', on: 'write at_task_end under compaction' },
    },
  ),
};

/** What may stand in `context_policy`. */
export const contextPolicy = object(
  'What part of its history the model sees.',
  {
    window: whole('Most messages of history in a prompt; 0 = all.', 0),
    truncate,
    max_tokens: whole('Most tokens of a prompt, by estimate; older messages are left out to keep to it.', 1),
    warn_at: number("Share of the model's context size at which the agent is told; default 0.7.", 0, 1),
    stop_at: number("Share of the model's context size at which the agent gets its last turn; default 0.98.", 0, 1),
    result_preview: whole('Longest tool result in characters that is shown whole; of longer ones, a preview with a token.', 200),
    compaction,
    visibility: visibilitySchema,
    rendering,
  },
  { 'x-what': 'context_policy' },
);
