import { isJsonObject, type JsonObject, type Writable } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { toProtocolPrompt } from '../../core/prompt/text-protocol.ts';
import type { AiSdkModel, ModelCallOptions } from './ai-sdk-model.ts';
import { callIdRuleOf } from './call-ids.ts';
import { fileSupportOf, textOnly } from './file-support.ts';
import { promptTarget, toPrompt, type PromptTarget } from './to-prompt.ts';

// Efforts with a setting in spec v4; others are passed to the provider as an option.
const commonEfforts: ReadonlySet<string> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

type Settings = Omit<ModelCallOptions, 'prompt' | 'tools' | 'toolChoice' | 'abortSignal'>;

/** What the calls of a config with a model have in common. */
interface CallForm {
  readonly model: AiSdkModel;
  readonly target: PromptTarget;
  readonly settings: Settings;
}

// Pure cache of the newest form of each config: a config seldom has several models, and never for long.
const forms = new WeakMap<LlmConfig, CallForm>();

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
  const known = forms.get(config);
  const form = known?.model === model ? known : compileForm(model, config);
  const { textProtocol, tools, toolChoice, maxOutputTokens } = request;
  const asText = textProtocol ?? (model.provider === 'amazon-bedrock' && dropsCalls(request) ? 'xml' : undefined);
  const messages = asText === undefined ? request.messages : toProtocolPrompt(request.messages, asText);
  const target = withoutFiles ? promptTarget(model.specificationVersion, textOnly, form.target.ids) : form.target;
  const prompt = toPrompt(messages, target);
  if (model.wantsRequest === true) return { prompt, abortSignal, request };
  const options: Writable<ModelCallOptions> = { ...form.settings, prompt, abortSignal, includeRawChunks };
  if (maxOutputTokens !== undefined)
    options.maxOutputTokens = Math.min(form.settings.maxOutputTokens ?? maxOutputTokens, maxOutputTokens);
  const { outputSchema } = request;
  if (outputSchema !== undefined && requestsForm(config, tools.length > 0))
    options.responseFormat = { type: 'json', schema: outputSchema, name: 'answer' };
  if (tools.length > 0 && textProtocol === undefined) {
    options.tools = tools;
    options.toolChoice = toolChoice;
  }
  return options;
}

/** Compiles what depends only on the config and the model, so that no call builds it again. */
function compileForm(model: AiSdkModel, config: LlmConfig): CallForm {
  const { specificationVersion, provider } = model;
  const target = promptTarget(specificationVersion, fileSupportOf(config, provider), callIdRuleOf(config, model));
  const form = { model, target, settings: buildSettings(model, config) };
  forms.set(config, form);
  return form;
}

/**
 * True when Bedrock's package would drop the calls and results of a prompt: it takes none in a request without tools. They are sent
 * as text then.
 */
function dropsCalls({ tools, toolChoice, messages }: ModelRequest): boolean {
  if (tools.length > 0 && toolChoice.type !== 'none') return false;
  return messages.some(({ role }) => role === 'tool');
}

// Raw chunks hold facts that packages drop: signs that a stream is complete, and the problem of a rejected call.
const includeRawChunks = true;

/** True when the form of the answer is requested. With tools only if the config asks for it: many providers reject the combination. */
function requestsForm({ responseFormat = 'auto' }: LlmConfig, hasTools: boolean): boolean {
  return responseFormat === 'always' || (responseFormat === 'auto' && !hasTools);
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
