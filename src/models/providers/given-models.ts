import type { LlmConfig } from '../../core/model/llm-config.ts';

/** A model as providers name it. */
export interface ModelIdentity {
  readonly provider: string;
  readonly model: string;
}

/** The model objects handed to the engine, by name; undefined where an object does not say which model it is. */
export type GivenModels = ReadonlyMap<string, ModelIdentity | undefined>;

/** Which models the objects say they are: an AI SDK model has a `provider` such as `openai.responses`, and a `modelId`. */
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
 * The name under which an object was handed in that answers for a config: that of the config, of its model, `provider/model`, or `default`
 * (also `*`) for all others. Undefined when there is none.
 */
export function nameOfGiven(given: { has(name: string): boolean }, { name, model, provider }: LlmConfig): string | undefined {
  return [name, model, `${provider}/${model}`, 'default', '*'].find((each) => given.has(each));
}
