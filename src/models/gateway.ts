import type { Clock } from '../core/clock.ts';
import type { ErrorRecord } from '../core/error.ts';
import type { LlmConfig } from '../core/model/llm-config.ts';
import type { ModelGateway } from '../core/model/model.ts';
import { ModelCall } from './attempts/model-call.ts';
import { trafficOf } from './adapter/model-traffic.ts';
import { ModelResolver } from './providers/model-resolver.ts';
import type { Replay } from './replay/replay.ts';

/** Options of a model gateway. */
export interface ModelGatewayOptions {
  /**
   * AI SDK model objects, keyed by the name of an LLM config, a model, `provider/model`, or `default` (also `*`) for all others.
   */
  readonly models: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  /** Random numbers from 0 to 1 for jitter; `Math.random` by default. */
  readonly random?: () => number;
  /** Looks up the configs that `fallbacks` and `whenUnconfigured` name, among those loaded with `from`. */
  readonly llmConfigs?: (name: string, from: LlmConfig) => LlmConfig | undefined;
  /** Environment from which API keys are read at each call; the process's by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Converts a tool's wire name to the real one, as scripts use it; unchanged by default. */
  readonly decodeToolName?: (wireName: string) => string;
  /** Called with each key that is used. */
  readonly onSecret?: (value: string) => void;
}

/** Result of checking a config: the config that will be used, or the error that prevents it. */
export type ConfigCheck = { readonly ok: true; readonly config: LlmConfig } | { readonly ok: false; readonly error: ErrorRecord };

/** Gateway to all models, with a check to make before a run starts. */
export interface CheckedModelGateway extends ModelGateway {
  /** Checks that a config can be called, without calling or loading anything. */
  resolves(config: LlmConfig): ConfigCheck;
}

/**
 * Creates the gateway for all model calls, with the deadlines, retries and fallbacks of the LLM configs. Throws `MODEL_UNKNOWN`
 * immediately when one of `models` is not an AI SDK model object; its calls never throw.
 */
export function createModelGateway(options: ModelGatewayOptions): CheckedModelGateway {
  const { models, clock, random = Math.random, llmConfigs = () => undefined, env = process.env } = options;
  const { decodeToolName = (wireName) => wireName } = options;
  const { onSecret } = options;
  const resolver = new ModelResolver({ models, llmConfigs, env, decodeToolName, ...(onSecret !== undefined && { onSecret }) });
  const tools = { resolver, clock, random, traffic: trafficOf(clock), llmConfigs };
  return {
    call: (request) => new ModelCall(request, tools).run(),
    resolves: (config) => {
      const resolved = resolver.resolve(config);
      return resolved.ok ? { ok: true, config: resolved.config } : resolved;
    },
  };
}

/** Creates a gateway that answers every call from a recording: it loads no model, needs no key and sends nothing. */
export function createReplayGateway(replay: Replay, clock: Clock): CheckedModelGateway {
  return {
    call: (request) => replay.model(request, () => clock.now()),
    resolves: (config) => ({ ok: true, config }),
  };
}
