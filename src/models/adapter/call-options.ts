import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { toProtocolPrompt } from '../../core/prompt/text-protocol.ts';
import type { AiSdkModel, ModelCallOptions } from './ai-sdk-model.ts';
import { callIdRuleOf } from './call-ids.ts';
import { fileSupportOf, textOnly } from './file-support.ts';
import { toPrompt } from './to-prompt.ts';

// Efforts with a setting in spec v4; others are passed to the provider as an option.
const commonEfforts: ReadonlySet<string> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

type Settings = Omit<ModelCallOptions, 'prompt' | 'tools' | 'toolChoice' | 'abortSignal'>;

// Settings depend only on the config and the kind of model, so they are built once and not per call. Pure cache: keyed by a config
// and a kind of model.
const settingsOfConfig = new WeakMap<LlmConfig, Map<string, Settings>>();

/** One call of a model object. */
export interface CallToMake {
  readonly model: AiSdkModel;
  readonly config: LlmConfig;
  readonly request: ModelRequest;
  readonly abortSignal: AbortSignal;
  /** Replaces all files by notes. */
  readonly withoutFiles: boolean;
}

/**
 * Builds the arguments of `doStream`. Shares the prompt with the request, without copying, wherever the spec allows it.
 */
export function toCallOptions({ model, config, request, abortSignal, withoutFiles }: CallToMake): ModelCallOptions {
  const { textProtocol } = request;
  const asText = textProtocol ?? (dropsCalls(model, request) ? 'xml' : undefined);
  const messages = asText === undefined ? request.messages : toProtocolPrompt(request.messages, asText);
  const support = withoutFiles ? textOnly : fileSupportOf(config, model.provider);
  const prompt = toPrompt(messages, { version: model.specificationVersion, support, ids: callIdRuleOf(config, model) });
  const ofConfig = settingsFor(model, config);
  if (model.wantsRequest === true) return { prompt, abortSignal, request };
  const settings = request.maxOutputTokens === undefined ? ofConfig : atMost(ofConfig, request.maxOutputTokens);
  const answer = answerFormat(config, request);
  if (request.tools.length === 0 || textProtocol !== undefined)
    return { ...settings, ...answer, prompt, abortSignal, includeRawChunks };
  return { ...settings, ...answer, prompt, abortSignal, includeRawChunks, tools: request.tools, toolChoice: request.toolChoice };
}

/**
 * True when a model's package would drop the calls and results of a prompt: Bedrock takes none in a request without tools. They are
 * sent as text then.
 */
function dropsCalls({ provider }: AiSdkModel, { tools, toolChoice, messages }: ModelRequest): boolean {
  if (provider !== 'amazon-bedrock' || (tools.length > 0 && toolChoice.type !== 'none')) return false;
  return messages.some(({ role }) => role === 'tool');
}

// Raw chunks hold facts that packages drop: signs that a stream is complete, and the problem of a rejected call.
const includeRawChunks = true;

/** Returns the response format. With tools only when the config asks for it, since many providers reject the combination. */
function answerFormat({ responseFormat = 'auto' }: LlmConfig, { outputSchema, tools }: ModelRequest): object | undefined {
  if (outputSchema === undefined || responseFormat === 'never') return undefined;
  if (responseFormat === 'auto' && tools.length > 0) return undefined;
  return { responseFormat: { type: 'json', schema: outputSchema, name: 'answer' } };
}

/** Returns the settings with a reply limit that fits the remaining budget. */
function atMost(settings: Settings, maxOutputTokens: number): Settings {
  return { ...settings, maxOutputTokens: Math.min(settings.maxOutputTokens ?? maxOutputTokens, maxOutputTokens) };
}

function settingsFor(model: AiSdkModel, config: LlmConfig): Settings {
  let byModel = settingsOfConfig.get(config);
  if (byModel === undefined) {
    byModel = new Map();
    settingsOfConfig.set(config, byModel);
  }
  const key = `${model.specificationVersion} ${model.provider}`;
  let settings = byModel.get(key);
  if (settings === undefined) {
    settings = buildSettings(model, config);
    byModel.set(key, settings);
  }
  return settings;
}

function buildSettings(model: AiSdkModel, config: LlmConfig): Settings {
  const { temperature, topP, maxOutputTokens, seed, stopSequences, reasoningEffort, headers } = config;
  const hasCommonEffort =
    model.specificationVersion === 'v4' && reasoningEffort !== undefined && commonEfforts.has(reasoningEffort);
  const options = withoutStore(config.providerOptions, model.provider);
  const providerOptions = hasCommonEffort ? options : withEffort(options, model.provider, reasoningEffort);
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(seed !== undefined && { seed }),
    ...(stopSequences !== undefined && { stopSequences }),
    ...(hasCommonEffort && { reasoning: reasoningEffort }),
    ...(providerOptions !== undefined && { providerOptions }),
    ...(headers !== undefined && { headers }),
  };
}

/** Adds the effort to the options of the model's own provider (`openai` for `openai.responses`) unless they set it. */
function withEffort(options: JsonObject | undefined, provider: string, effort: string | undefined): JsonObject | undefined {
  if (effort === undefined) return options;
  const key = provider.split('.', 1)[0] ?? provider;
  const own = options?.[key];
  return {
    ...options,
    [key]: { reasoningEffort: effort, ...(isJsonObject(own) && own) },
  };
}

/**
 * Sets `store: false` for OpenAI's responses API unless the options set it. Stored items are referred to by later prompts, which
 * fail with another key or server, or after deletion. Encrypted reasoning is sent along instead.
 */
function withoutStore(options: JsonObject | undefined, provider: string): JsonObject | undefined {
  const [key = provider, api] = provider.split('.');
  if (api !== 'responses') return options;
  const own = options?.[key];
  return { ...options, [key]: { store: false, ...(isJsonObject(own) && own) } };
}
