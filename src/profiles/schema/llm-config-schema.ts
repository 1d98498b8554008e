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
  base_url: words('Address of an OpenAI-compatible server.'),
  api_base: words('The same as base_url.'),
  api: oneOf('API of an openai config: responses, or chat completions.', ['responses', 'chat']),
  temperature: number('Sampling temperature.', 0, 2),
  max_output_tokens: whole('Maximum length of a reply, in tokens.', 1),
  max_tokens: whole('The same as max_output_tokens.', 1),
  top_p: number('Nucleus sampling.', 0, 1),
  seed: { type: 'integer', description: 'Seed, for providers that support one.' },
  stop: list('Texts that end a reply.', words('A text.')),
  reasoning_effort: words('Reasoning effort of the model, in its provider’s terms.'),
  return_reasoning: { type: 'boolean', description: 'Returns its unsigned reasoning to the model while it calls tools.' },
  max_retries: whole('Number of attempts after the first.', 0),
  retry: object(
    'Behaviour while the provider is down.',
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
    'Rate limit of the provider’s key, shared by all agents and runs of the process.',
    {
      requests_per_minute: resolvable(whole('Maximum number of requests started per minute.', 1)),
      tokens_per_minute: resolvable(whole('Maximum number of input and output tokens per minute.', 1)),
      max_parallel: resolvable(whole('Maximum number of concurrent requests.', 1)),
      max_wait: resolvable(duration),
    },
    { 'x-what': 'rate_limit', 'x-mistakes': { rpm: 'write requests_per_minute', tpm: 'write tokens_per_minute' } },
  ),
  cooldown: durationOrZero,
  accepts: list('Kinds of content that the model accepts; other content is replaced by a note.', {
    enum: ['text', 'image', 'pdf', 'audio', 'video', 'file'],
    description: 'A kind of content.',
  }),
  context_window: whole('Context window of the model, in tokens.', 1),
  price: priceSchema,
  prices: {
    type: 'object',
    additionalProperties: priceSchema,
    description: 'Prices by provider/model, or by model; used for the config’s model when price is not set.',
  },
  fallbacks: list('LLM configs, or provider/model, to try when this one keeps failing.', named(words('A name.'), 'llm_configs')),
  headers: { type: 'object', additionalProperties: resolvable(text('A header.')), description: 'Additional HTTP headers.' },
  provider_options: freeMap('Provider options, passed through unchanged.'),
  script: named(words('For `scripted`: file with the rules, for example scripts/offline.yaml.'), 'scripts'),
  tool_protocol: oneOf('Protocol of tool calls: native, or a text protocol for models without tool calls.', [
    'native',
    'json_actions',
    'xml',
    'loose_json',
  ]),
  response_format: oneOf(
    'When to request structured output from the provider for a profile with output_schema; auto: in calls without tools.',
    ['auto', 'always', 'never'],
  ),
  text_tool_calls: oneOf('Accepts or ignores tool calls in the text of a reply without native calls.', ['accept', 'ignore']),
  recording: words('For `replay`: recording to answer from, relative to the working directory.'),
  when_unconfigured: named(words('LLM config to use when a required value is missing.'), 'llm_configs'),
};

const apiKey: JsonSchema = {
  ...fromEnvironment,
  description: 'Environment variable that contains the API key; never write a key into a file.',
  'x-expects': 'a value from the environment: { _type: from_env, var: OPENAI_API_KEY }',
  'x-secret': true,
};

const shape = object(
  'A Cadre LLM config.',
  {
    name: name('Name of the config; unique.'),
    type: oneOf('Always llm_config.', ['llm_config']),
    base_llm_config: nameOrNames('Config or configs to inherit from, left to right.', 'llm_configs'),
    description_for_human: text('Purpose of the config, for people.'),
    alias_of: resolvable(named(words('LLM config, or provider/model, that this name refers to.'), 'llm_configs')),
    config: object(
      'Settings of the model.',
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
