import type { Clock } from '../core/clock.ts';
import type { ErrorRecord } from '../core/error.ts';
import type { LlmConfig } from '../core/model/llm-config.ts';
import type { ModelGateway } from '../core/model/model.ts';
import { ModelCall } from './attempts/model-call.ts';
import { trafficOf } from './adapter/model-traffic.ts';
import { ModelResolver } from './providers/model-resolver.ts';

/** What a gateway is made of. */
export interface ModelGatewayOptions {
  /** AI SDK model objects, under the name of an LLM config, a model, `provider/model`, or `default` (also `*`) for all others. */
  readonly models: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  /** Numbers from 0 to 1 that spread the waits between attempts; `Math.random` unless given. */
  readonly random?: () => number;
  /** Finds the configs that `fallbacks` and `whenUnconfigured` of a config name, among those it was loaded with. */
  readonly llmConfigs?: (name: string, from: LlmConfig) => LlmConfig | undefined;
  /** Where API keys are read from, at each call; the process's environment unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Turns a tool's wire name into the real one, in which scripts are written; the wire name itself unless given. */
  readonly decodeToolName?: (wireName: string) => string;
  /** Told of each key that is used. */
  readonly onSecret?: (value: string) => void;
}

/** Whether a config can be called: `config` is the one that will be used, or the error says what is missing. */
export type ConfigCheck = { readonly ok: true; readonly config: LlmConfig } | { readonly ok: false; readonly error: ErrorRecord };

/** The gateway to all models, with a check to be made before a run starts. */
export interface CheckedModelGateway extends ModelGateway {
  /** Tells whether a config can be called, without calling or loading anything. */
  resolves(config: LlmConfig): ConfigCheck;
}

/**
 * Creates the gateway through which every model is called, with deadlines, retries and fallbacks as the LLM configs say.
 * Throws `MODEL_UNKNOWN` at once when one of `models` is not an AI SDK model object; its calls never throw.
 */
export function createModelGateway(options: ModelGatewayOptions): CheckedModelGateway {
  const { models, clock, random = Math.random, llmConfigs = () => undefined, env = process.env } = options;
  const { decodeToolName = (wireName) => wireName } = options;
  const { onSecret } = options;
  const resolver = new ModelResolver({ models, llmConfigs, env, decodeToolName, ...(onSecret !== undefined && { onSecret }) });
  const traffic = trafficOf(clock);
  return {
    call: (request) => new ModelCall(request, { resolver, clock, random, traffic, llmConfigs }).run(),
    resolves: (config) => {
      const resolved = resolver.resolve(config);
      return resolved.ok ? { ok: true, config: resolved.config } : resolved;
    },
  };
}
