/** US dollars per million tokens. Absent prices equal those of input or output. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** Price of a model; `above` applies to a whole call whose prompt has more tokens than it names. */
export interface ModelPrice extends TokenPrice {
  readonly above?: TokenPrice & { readonly tokens: number };
}

/** Prices by `provider/model`, by `model`, and by `provider/*` for all models of a provider. */
export type ModelPrices = ReadonlyMap<string, ModelPrice>;

/** Returns the most that a prompt and a reply can cost at a price: writing to a cache and reasoning may cost more than the rest. */
export function highestPrice({
  input,
  output,
  cacheWrite = input,
  reasoning = output,
}: TokenPrice): Pick<TokenPrice, 'input' | 'output'> {
  return { input: Math.max(input, cacheWrite), output: Math.max(output, reasoning) };
}

/** Returns the price of a call with this many prompt tokens. */
export function priceAt(price: ModelPrice, promptTokens: number): TokenPrice {
  return price.above !== undefined && promptTokens > price.above.tokens ? price.above : price;
}

/** Date suffix of a model's name, or `latest`: the price is listed under the name without it. */
const version = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/**
 * Returns the price of a model in a table; undefined when it has none. A name that ends in a date (`-20250929`, `-2025-08-07`)
 * or `-latest` has the price of the name before it, unless it has its own. `provider/*` applies only at the provider's usual
 * address.
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
