import type { LlmConfig } from '../../core/model/llm-config.ts';

/** A model's provider and id. */
export interface ModelIdentity {
  readonly provider: string;
  readonly model: string;
}

/** Model objects given to the engine, by name; undefined for an object without an identity. */
export type GivenModels = ReadonlyMap<string, ModelIdentity | undefined>;

/** Reads the identities of model objects: an AI SDK model has a `provider` such as `openai.responses`, and a `modelId`. */
export function givenModels(models: Readonly<Record<string, unknown>>): GivenModels {
  return new Map(Object.entries(models).map(([name, model]) => [name, identityOf(model)]));
}

function identityOf(model: unknown): ModelIdentity | undefined {
  if (typeof model !== 'object' || model === null) return undefined;
  const { provider, modelId } = model as { readonly provider?: unknown; readonly modelId?: unknown };
  if (typeof provider !== 'string' || typeof modelId !== 'string') return undefined;
  return { provider: provider.split('.', 1)[0] ?? provider, model: modelId };
}

/**
 * Returns the key under which a config's model object was given: the config's name, its model, `provider/model`, or `default` (also
 * `*`). Undefined when there is none.
 */
export function nameOfGiven(given: { has(name: string): boolean }, { name, model, provider }: LlmConfig): string | undefined {
  return [name, model, `${provider}/${model}`, 'default', '*'].find((each) => given.has(each));
}
