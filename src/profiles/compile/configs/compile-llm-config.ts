import type { JsonObject } from '../../../core/json.ts';
import { toolProtocols } from '../../../core/prompt/text-protocol.ts';
import {
  defaultDeadlines,
  defaultRetry,
  type AcceptedKind,
  type LlmConfig,
  type ModelDeadlines,
  type RetryPolicy,
} from '../../../core/model/llm-config.ts';
import type { Report } from '../../report.ts';
import { shapeProblems } from '../../schema/validate-shape.ts';
import { quote } from '../../wording.ts';
import { childOf, toPlainObject, type MapNode, type Place, type SourceNode } from '../../yaml/source-node.ts';
import { toMilliseconds } from './duration.ts';
import { readPrice } from './compile-prices.ts';
import { lookUpValues, type ValueSources } from './environment-values.ts';
import { findFile } from '../file-lookup.ts';
import { secretValues } from './secret-values.ts';
import { listNode, mapNode, readFlag, readNumber, readObject, textNode } from '../read-node.ts';

/** Values and names that an LLM config may refer to. */
export interface LlmConfigContext {
  readonly report: Report;
  readonly values: ValueSources;
  /** Names of model objects given to the engine; a config may use one as its model. */
  readonly models: ReadonlySet<string>;
  /** Script files by path; undefined for a file that could not be read (reported elsewhere). */
  readonly scripts: ReadonlyMap<string, MapNode | undefined>;
}

/** Compiles an LLM config after inheritance; environment values are looked up now. */
export function compileLlmConfig(context: LlmConfigContext, merged: MapNode, name: string): LlmConfig {
  const written = mapNode(merged, 'config');
  const empty: MapNode = { kind: 'map', at: merged.at, entries: new Map() };
  const { node: config, missing } = lookUpValues(written ?? empty, context.values);
  checkLookedUp(context.report, merged, config);
  const key = mapNode(config, 'api_key');
  const apiKeyVar = textNode(key, 'var')?.value;
  const scriptRef = textNode(config, 'script');
  const model = modelOf(context, config, scriptRef !== undefined);
  const price = priceOf(context.report, config, model);
  const isKeyMissing = apiKeyVar !== undefined && readFlag(key, 'required') === true && isUnset(context.values.env, apiKeyVar);
  const result: LlmConfig = {
    name,
    ...model,
    retry: retryOf(config),
    deadlines: deadlinesOf(config),
    // An inherited list may name this config, which would fail the same way again.
    fallbacks: texts(config, 'fallbacks').filter((fallback) => fallback !== name),
    ...secretsOf(config),
    missing: isKeyMissing ? [...new Set([...missing, apiKeyVar])] : missing,
    ...withoutUndefined({
      baseUrl: text(config, 'base_url') ?? text(config, 'api_base'),
      baseUrlVar: wholeVariable(childOf(config, text(config, 'base_url') === undefined ? 'api_base' : 'base_url')),
      api: apiOf(text(config, 'api')),
      apiKeyVar,
      temperature: readNumber(config, 'temperature'),
      topP: readNumber(config, 'top_p'),
      maxOutputTokens: readNumber(config, 'max_output_tokens') ?? readNumber(config, 'max_tokens'),
      seed: readNumber(config, 'seed'),
      stopSequences: listNode(config, 'stop') === undefined ? undefined : texts(config, 'stop'),
      reasoningEffort: text(config, 'reasoning_effort'),
      returnReasoning: readFlag(config, 'return_reasoning'),
      providerOptions: readObject(config, 'provider_options'),
      headers: headersOf(config),
      contextWindow: readNumber(config, 'context_window'),
      accepts: listNode(config, 'accepts') === undefined ? undefined : texts(config, 'accepts').filter(isKind),
      price,
      rateLimit: rateLimitOf(config),
      cooldownMs: milliseconds(config, 'cooldown'),
      whenUnconfigured: text(config, 'when_unconfigured'),
      script: scriptRef === undefined ? undefined : scriptOf(context, scriptRef),
      recording: text(config, 'recording'),
      toolProtocol: toolProtocols.find((protocol) => protocol === text(config, 'tool_protocol')),
      responseFormat: (['auto', 'always', 'never'] as const).find((when) => when === text(config, 'response_format')),
      acceptsTextCalls: text(config, 'text_tool_calls') === 'accept' ? true : undefined,
    }),
  };
  checkSource(context.report, (written ?? merged).at, { ...result, hasScript: scriptRef !== undefined });
  return result;
}

/** Reports a replay config without a recording, and a scripted one without a script. */
function checkSource(
  report: Report,
  at: Place,
  { provider, recording, hasScript }: Pick<LlmConfig, 'provider' | 'recording'> & { readonly hasScript: boolean },
): void {
  if (provider === 'replay' && recording === undefined) {
    report.error('MISSING_KEY', {
      at,
      message: '`recording` is missing: the provider `replay` needs the file it answers from',
      hint: 'for example recording: recordings/run.jsonl, made with cadre run --record',
    });
  }
  if (provider === 'scripted' && !hasScript) {
    report.error('MISSING_KEY', {
      at,
      message: '`script` is missing: the provider `scripted` needs its rules',
      hint: 'for example script: scripts/offline.yaml',
    });
  }
}

/** Reports environment values that do not fit, without showing the values. */
function checkLookedUp(report: Report, merged: MapNode, config: MapNode): void {
  if (!report.checksShape) return;
  const entries = new Map(merged.entries);
  const keyAt = merged.entries.get('config')?.keyAt ?? merged.at;
  entries.set('config', { keyAt, value: config });
  for (const problem of shapeProblems('llm_config', { ...merged, entries })) {
    const { node, types, rule } = problem;
    if (node.kind !== 'scalar' || node.variable === undefined)
      report.error(problem.code, { at: problem.at, message: problem.message, hint: problem.hint });
    else if (types?.includes('string') !== true) {
      report.error('BAD_ENVIRONMENT_VALUE', {
        at: node.at,
        message: `the environment variable ${quote(node.variable)} does not fit here: the value ${rule}`,
      });
    }
  }
}

function secretsOf(config: MapNode): Pick<LlmConfig, 'secrets'> {
  const secrets = secretValues(config);
  return secrets.length === 0 ? {} : { secrets };
}

function modelOf(context: LlmConfigContext, config: MapNode, hasScript: boolean): Pick<LlmConfig, 'provider' | 'model'> {
  const model = text(config, 'model') ?? '';
  const provider = text(config, 'provider') ?? (hasScript ? 'scripted' : undefined);
  if (provider !== undefined)
    return { provider, model: model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model };
  const slash = model.indexOf('/');
  if (context.models.has(model) || slash <= 0) return { provider: '', model };
  return { provider: model.slice(0, slash), model: model.slice(slash + 1) };
}

const kinds: ReadonlySet<string> = new Set<AcceptedKind>(['text', 'image', 'pdf', 'audio', 'video', 'file']);

function isKind(word: string): word is AcceptedKind {
  return kinds.has(word);
}

function apiOf(word: string | undefined): LlmConfig['api'] {
  return word === 'chat' || word === 'responses' ? word : undefined;
}

/** Returns the retry policy. `max_retries: 0` also turns off waiting for a provider that is down, unless the config sets it. */
function retryOf(config: MapNode): RetryPolicy {
  const maxRetries = readNumber(config, 'max_retries');
  return {
    maxRetries: maxRetries ?? defaultRetry.maxRetries,
    ...(maxRetries === undefined && { maxCostlyRetries: defaultRetry.maxCostlyRetries }),
    outageMs: milliseconds(mapNode(config, 'retry'), 'outage') ?? (maxRetries === 0 ? 0 : defaultRetry.outageMs),
    waitMs: milliseconds(config, 'wait_seconds_on_retry') ?? defaultRetry.waitMs,
    maxWaitMs: milliseconds(config, 'max_wait_seconds_on_retry') ?? defaultRetry.maxWaitMs,
  };
}

function rateLimitOf(config: MapNode): LlmConfig['rateLimit'] {
  const node = mapNode(config, 'rate_limit');
  if (node === undefined) return undefined;
  return withoutUndefined({
    requestsPerMinute: readNumber(node, 'requests_per_minute'),
    tokensPerMinute: readNumber(node, 'tokens_per_minute'),
    maxParallel: readNumber(node, 'max_parallel'),
    maxWaitMs: milliseconds(node, 'max_wait'),
  });
}

function deadlinesOf(config: MapNode): ModelDeadlines {
  const node = mapNode(config, 'timeouts');
  return {
    connect: milliseconds(node, 'connect') ?? defaultDeadlines.connect,
    firstToken: milliseconds(node, 'first_token') ?? defaultDeadlines.firstToken,
    betweenChunks: milliseconds(node, 'between_chunks') ?? defaultDeadlines.betweenChunks,
    total: milliseconds(node, 'total') ?? defaultDeadlines.total,
  };
}

/** Returns the config's price, or the price of its model in the config's table. */
function priceOf(report: Report, config: MapNode, { provider, model }: Pick<LlmConfig, 'provider' | 'model'>): LlmConfig['price'] {
  const own = mapNode(config, 'price');
  const table = mapNode(config, 'prices');
  const listed = new Map((table === undefined ? [] : [...table.entries.keys()]).map((name) => [name, mapNode(table, name)]));
  // Check every line of the table, not only the one that applies.
  const prices = new Map([...listed].map(([name, node]) => [name, node === undefined ? undefined : readPrice(report, node)]));
  if (own !== undefined) return readPrice(report, own);
  return prices.get(`${provider}/${model}`) ?? prices.get(model);
}

function headersOf(config: MapNode): LlmConfig['headers'] {
  const node = mapNode(config, 'headers');
  if (node === undefined) return undefined;
  return Object.fromEntries(
    [...node.entries.keys()].flatMap((key) => (text(node, key) === undefined ? [] : [[key, text(node, key) ?? '']])),
  );
}

function scriptOf(context: LlmConfigContext, reference: NonNullable<ReturnType<typeof textNode>>): JsonObject | undefined {
  const found = findFile(context.scripts, context.report, { from: reference.at, reference: reference.value });
  return found?.file === undefined ? undefined : toPlainObject(found.file);
}

/** Returns the text at a key; a value from the environment stays text even when it looks like a number. */
function text(node: SourceNode | undefined, key: string): string | undefined {
  const child = childOf(node, key);
  if (child?.kind !== 'scalar') return undefined;
  if (child.variable !== undefined) return child.written;
  return typeof child.value === 'string' ? child.value : undefined;
}

/** Returns the environment variable that makes up the whole text; undefined when the text has other parts or uses its default. */
function wholeVariable(node: SourceNode | undefined): string | undefined {
  if (node?.kind !== 'scalar' || node.variable === undefined || node.variables === undefined)
    return node?.kind === 'scalar' ? node.variable : undefined;
  return node.variables.filter((piece) => piece !== '').length === 1 ? node.variable : undefined;
}

function texts(node: SourceNode, key: string): readonly string[] {
  return (listNode(node, key)?.items ?? []).flatMap((item) =>
    item.kind === 'scalar' && typeof item.value === 'string' ? [item.value] : [],
  );
}

function milliseconds(node: SourceNode | undefined, key: string): number | undefined {
  const child = childOf(node, key);
  return child?.kind === 'scalar' ? toMilliseconds(child.value) : undefined;
}

function isUnset(env: ValueSources['env'], name: string): boolean {
  return !Object.hasOwn(env, name) || env[name] === undefined || env[name] === '';
}

function withoutUndefined<T extends object>(fields: T): { readonly [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

/** True when a config names the model to call. */
export function namesModel(config: LlmConfig): boolean {
  return config.model !== '' || config.provider === 'scripted' || config.provider === 'replay';
}
