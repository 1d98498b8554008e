import type { JsonSchema } from '../../core/json.ts';
import { fromEnvironment, lookup, resolvable } from './lookup-schema.ts';
import { priceSchema } from './prices-schema.ts';
import {
  duration,
  durationOrZero,
  freeMap,
  list,
  name,
  named,
  nameOrNames,
  number,
  object,
  oneOf,
  type Properties,
  text,
  whole,
  words,
} from './schema-parts.ts';

const settings: Properties = {
  provider: words('scripted, openai, anthropic, google, ollama, openrouter, openai-compatible, …'),
  model: words('provider/model, or the bare name of a model.'),
  base_url: words('Where an OpenAI-compatible server listens.'),
  api_base: words('The same as base_url.'),
  api: oneOf('The protocol of an openai config: responses, or chat completions.', ['responses', 'chat']),
  temperature: number('Sampling temperature.', 0, 2),
  max_output_tokens: whole('Longest reply in tokens.', 1),
  max_tokens: whole('The same as max_output_tokens.', 1),
  top_p: number('Nucleus sampling.', 0, 1),
  seed: { type: 'integer', description: 'Seed for providers that take one.' },
  stop: list('Texts that end a reply.', words('A text.')),
  reasoning_effort: words('How hard the model thinks, in its provider’s words.'),
  return_reasoning: { type: 'boolean', description: 'Gives the model its unsigned reasoning back while it calls tools.' },
  max_retries: whole('Attempts after the first.', 0),
  retry: object(
    'What happens when the provider is down.',
    { outage: resolvable(durationOrZero) },
    { 'x-what': 'retry', 'x-mistakes': { max: 'write max_retries beside retry', max_retries: 'write it beside retry, not in it' } },
  ),
  wait_seconds_on_retry: duration,
  max_wait_seconds_on_retry: duration,
  timeouts: object(
    'Deadlines of one model call.',
    {
      connect: resolvable(duration),
      first_token: resolvable(duration),
      between_chunks: resolvable(duration),
      total: resolvable(duration),
    },
    { 'x-what': 'timeouts' },
  ),
  rate_limit: object(
    'How fast the provider’s key may be used; all agents and runs of the process share it.',
    {
      requests_per_minute: resolvable(whole('Requests started within a minute.', 1)),
      tokens_per_minute: resolvable(whole('Tokens, in and out, within a minute.', 1)),
      max_parallel: resolvable(whole('Requests under way at once.', 1)),
      max_wait: resolvable(duration),
    },
    { 'x-what': 'rate_limit', 'x-mistakes': { rpm: 'write requests_per_minute', tpm: 'write tokens_per_minute' } },
  ),
  cooldown: durationOrZero,
  accepts: list('What the model takes; anything else is replaced by a note.', {
    enum: ['text', 'image', 'pdf', 'audio', 'video', 'file'],
    description: 'A kind.',
  }),
  context_window: whole('Context size of the model in tokens.', 1),
  price: priceSchema,
  prices: {
    type: 'object',
    additionalProperties: priceSchema,
    description: 'Prices by provider/model, or by model; the one of its model holds for a config without a price of its own.',
  },
  fallbacks: list('LLM configs, or provider/model, to try when this one keeps failing.', named(words('A name.'), 'llm_configs')),
  headers: { type: 'object', additionalProperties: resolvable(text('A header.')), description: 'Headers to send along.' },
  provider_options: freeMap('Options of the provider, passed through.'),
  script: named(words('For `scripted`: the rules, for example scripts/offline.yaml.'), 'scripts'),
  tool_protocol: oneOf('How the model is told of its tools and calls them; as text for models without tool calls.', [
    'native',
    'json_actions',
    'xml',
    'loose_json',
  ]),
  response_format: oneOf(
    'Whether the form of an answer (output_schema of a profile) is demanded of the provider; auto: in calls that offer no tool.',
    ['auto', 'always', 'never'],
  ),
  text_tool_calls: oneOf('Whether calls in the text of a reply that has no others count.', ['accept', 'ignore']),
  recording: words('For `replay`: the recorded file, relative to the working folder.'),
  when_unconfigured: named(words('The LLM config to use when something required is missing.'), 'llm_configs'),
};

const apiKey: JsonSchema = {
  ...fromEnvironment,
  description: 'The environment variable that holds the key; a key never stands in a file.',
  'x-expects': 'a value from the environment: { _type: from_env, var: OPENAI_API_KEY }',
  'x-secret': true,
};

const shape = object(
  'A Cadre LLM config.',
  {
    name: name('What the config is called; unique.'),
    type: oneOf('Always llm_config.', ['llm_config']),
    base_llm_config: nameOrNames('The config or configs it inherits from, left to right.', 'llm_configs'),
    description_for_human: text('What it is for.'),
    alias_of: resolvable(named(words('The LLM config, or provider/model, that this name stands for.'), 'llm_configs')),
    config: object(
      'The settings.',
      {
        ...Object.fromEntries(
          Object.entries(settings).map(([key, schema]) => [key, key === 'script' ? schema : resolvable(schema)]),
        ),
        api_key: apiKey,
      },
      {
        'x-what': 'config',
        'x-mistakes': {
          timeout: 'write timeouts: { total: … }',
          retries: 'write max_retries',
          api_key_env: 'write api_key: { _type: from_env, var: … }',
        },
      },
    ),
  },
  {
    required: ['name'],
    'x-what': 'an LLM config',
    'x-mistakes': { model: 'write it below config:', provider: 'write it below config:', base_profile: 'write base_llm_config' },
  },
);

/** The JSON Schema of an LLM config file, for the loader and for editors. */
export const llmConfigSchema: JsonSchema = { ...shape, $defs: { lookup } };
