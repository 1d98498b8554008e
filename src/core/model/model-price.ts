/** US dollars per million tokens. What is not given costs what input, or output, costs. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** What a model costs; `above` holds for a whole call whose prompt has more tokens than it names. */
export interface ModelPrice extends TokenPrice {
  readonly above?: TokenPrice & { readonly tokens: number };
}

/** Prices by `provider/model`, by `model`, and by `provider/*` for all models of a provider. */
export type ModelPrices = ReadonlyMap<string, ModelPrice>;

/** The price of a call with a prompt of so many tokens. */
export function priceAt(price: ModelPrice, promptTokens: number): TokenPrice {
  return price.above !== undefined && promptTokens > price.above.tokens ? price.above : price;
}

/** A day at the end of a model's name, or `latest`: the price stands under the name without it. */
const version = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/**
 * The price of a model in a table; undefined when it has none. A name that ends in a day (`-20250929`, `-2025-08-07`) or `-latest` has
 * the price of the name before it, unless it has one of its own. `provider/*` holds at the provider's usual address alone.
 */
export function findPrice(
  prices: ModelPrices,
  { provider, model, baseUrl }: { readonly provider: string; readonly model: string; readonly baseUrl?: string },
): ModelPrice | undefined {
  for (const name of [model, model.replace(version, '')]) {
    const found = prices.get(`${provider}/${name}`) ?? prices.get(name);
    if (found !== undefined) return found;
  }
  return baseUrl === undefined ? prices.get(`${provider}/*`) : undefined;
}
