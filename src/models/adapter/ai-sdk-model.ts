import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';

import { CadreError, describeThrown } from '../../core/error.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { ConnectionListener } from './connection-watch.ts';
import type { StreamPart } from './stream-part.ts';

/** Any model object of the AI SDK that Cadre can call. */
export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/** Arguments of a model's `doStream`, in the shapes of its `specificationVersion`. */
export interface ModelCallOptions {
  readonly prompt: unknown;
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
  readonly abortSignal?: AbortSignal;
  /** Makes the model pass on each raw chunk, in parts of type `raw`. */
  readonly includeRawChunks?: boolean;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly seed?: number;
  readonly stopSequences?: unknown;
  readonly responseFormat?: unknown;
  readonly reasoning?: unknown;
  readonly providerOptions?: unknown;
  readonly headers?: unknown;
  /** The engine's request, for models with `wantsRequest`. */
  readonly request?: ModelRequest;
  /** Listener for the connection of the request, for models with `tellsConnection`. */
  readonly connection?: ConnectionListener;
}

/** Common part of the AI SDK's model objects (spec v2, v3 and v4) that Cadre uses. */
export interface AiSdkModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  /** Set by Cadre's own models that need the engine's request. */
  readonly wantsRequest?: true;
  /** Set when the model reports to `connection`; otherwise nothing is known before the response headers. */
  readonly tellsConnection?: true;
  doStream(options: ModelCallOptions): PromiseLike<{
    readonly stream: ReadableStream<StreamPart>;
    readonly response?: { readonly headers?: Readonly<Record<string, string>> };
  }>;
}

const specificationVersions: ReadonlySet<unknown> = new Set(['v2', 'v3', 'v4']);

/**
 * Checks that a value is a model object Cadre can call. Throws `MODEL_UNKNOWN`, describing the value; `name` is the key it was
 * given under.
 */
export function parseAiSdkModel(value: unknown, name: string): AiSdkModel {
  if (isAiSdkModel(value)) return value;
  throw new CadreError(
    'MODEL_UNKNOWN',
    `The model given as "${name}" is ${describeNonModel(value)}, but must be an AI SDK language model object ` +
      `(specification v2, v3 or v4), such as openai('gpt-5') from @ai-sdk/openai.`,
  );
}

function isAiSdkModel(value: unknown): value is AiSdkModel {
  return (
    typeof value === 'object' &&
    value !== null &&
    'specificationVersion' in value &&
    specificationVersions.has(value.specificationVersion) &&
    'doStream' in value &&
    typeof value.doStream === 'function' &&
    'modelId' in value &&
    typeof value.modelId === 'string' &&
    'provider' in value &&
    typeof value.provider === 'string'
  );
}

function describeNonModel(value: unknown): string {
  if (typeof value === 'string') return `the text "${describeThrown(value)}"`;
  if (typeof value === 'function') return 'a function (call it with a model name to get a model)';
  if (typeof value !== 'object' || value === null) return String(value);
  if (!('specificationVersion' in value)) return 'an object without a specificationVersion';
  if (!specificationVersions.has(value.specificationVersion)) {
    return `an object of specification ${describeThrown(value.specificationVersion)}`;
  }
  return 'an object without doStream, modelId or provider';
}
