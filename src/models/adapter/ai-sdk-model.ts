import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';

import { CadreError, describeThrown } from '../../core/error.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { ConnectionListener } from './connection-watch.ts';
import type { StreamPart } from './stream-part.ts';

/** Any model object of the AI SDK that Cadre can call. */
export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/** What a model's `doStream` is called with; the values have the shape its `specificationVersion` asks for. */
export interface ModelCallOptions {
  readonly prompt: unknown;
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
  readonly abortSignal?: AbortSignal;
  /** Has the model hand out each chunk as it came, in parts of type `raw`. */
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
  /** For models that want it: the call as the engine made it. */
  readonly request?: ModelRequest;
  /** For models that tell: learns when the connection of the request stands. */
  readonly connection?: ConnectionListener;
}

/** What all model objects of the AI SDK (spec v2, v3 and v4) have in common, as far as Cadre uses it. */
export interface AiSdkModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  /** A model of ours that needs to know who asks. */
  readonly wantsRequest?: true;
  /** It calls `connection` of its options; without this nothing is known before the head of the answer. */
  readonly tellsConnection?: true;
  doStream(options: ModelCallOptions): PromiseLike<{
    readonly stream: ReadableStream<StreamPart>;
    readonly response?: { readonly headers?: Readonly<Record<string, string>> };
  }>;
}

const specificationVersions: ReadonlySet<unknown> = new Set(['v2', 'v3', 'v4']);

/**
 * Checks that a value is a model object Cadre can call.
 * Throws `MODEL_UNKNOWN` with what was found instead; `name` is the name the value was given under.
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
