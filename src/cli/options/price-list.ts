import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { ModelPrice, TokenPrice } from '../../core/model/model-price.ts';
import { readJson } from '../../core/read-json.ts';

/** Default source of `cadre prices --update`: a community-maintained list under the MIT licence. */
export const defaultPriceList = 'https://models.dev/api.json';

/** Maximum length of a list, in characters. */
const maxListChars = 50_000_000;
const timeoutMs = 30_000;

/**
 * Fetches a list of prices in the form of models.dev: by provider, `models` by id, each with a `cost` in US dollars per million tokens.
 * Returns the prices of the given providers by `provider/model`; models without a price are left out.
 *
 * @throws CadreError `OPTION_INVALID` when there is no such list at the address, with the reason
 */
export async function fetchPrices(address: string, providers: readonly string[]): Promise<ReadonlyMap<string, ModelPrice>> {
  const list = await fetchJson(address);
  const prices = new Map<string, ModelPrice>();
  for (const provider of providers) {
    const models = objectAt(objectAt(list, providerNames.get(provider) ?? provider), 'models');
    for (const [model, entry] of Object.entries(models ?? {})) {
      const price = priceOf(objectAt(entry, 'cost'));
      if (price !== undefined) prices.set(`${provider}/${model}`, price);
    }
  }
  if (prices.size === 0) throw unreadable(address, `it has no price of ${providers.join(', ')} in the form of ${defaultPriceList}`);
  return prices;
}

/** Names of providers in the list, where they differ from ours. */
const providerNames: ReadonlyMap<string, string> = new Map([['together', 'togetherai']]);

async function fetchJson(address: string): Promise<JsonValue> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const text = await response.text();
    if (text.length > maxListChars) throw new Error(`it has more than ${maxListChars} characters`);
    return readJson(text) as JsonValue;
  } catch (thrown) {
    throw unreadable(address, describeThrown(thrown));
  }
}

function unreadable(address: string, why: string): CadreError {
  return new CadreError('OPTION_INVALID', `no prices could be read from ${address}: ${why}. Name another list with --from`);
}

function priceOf(cost: JsonObject | undefined): ModelPrice | undefined {
  const price = tokenPrice(cost);
  if (cost === undefined || price === undefined) return undefined;
  const above = longPromptPrice(cost);
  return above === undefined ? price : { ...price, above };
}

/** Returns the most expensive tier for long prompts, applied from the start of the first tier: our prices have two tiers. */
function longPromptPrice(cost: JsonObject): ModelPrice['above'] {
  const steps = (Array.isArray(cost['tiers']) ? cost['tiers'] : []).flatMap((step) => {
    const size = objectAt(step, 'tier')?.['size'] ?? objectAt(step, 'context')?.['min'];
    const price = isJsonObject(step) ? tokenPrice(step) : undefined;
    return typeof size === 'number' && price !== undefined ? [{ tokens: size, ...price }] : [];
  });
  const over200k = tokenPrice(objectAt(cost, 'context_over_200k'));
  if (over200k !== undefined) steps.push({ tokens: 200_000, ...over200k });
  const dearest = steps.toSorted((one, other) => other.input - one.input)[0];
  return dearest === undefined ? undefined : { ...dearest, tokens: Math.min(...steps.map(({ tokens }) => tokens)) };
}

function tokenPrice(cost: JsonObject | undefined): TokenPrice | undefined {
  const input = amount(cost, 'input');
  const output = amount(cost, 'output');
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = amount(cost, 'cache_read');
  const cacheWrite = amount(cost, 'cache_write');
  const reasoning = amount(cost, 'reasoning');
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

function amount(cost: JsonObject | undefined, key: string): number | undefined {
  const value = cost?.[key];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function objectAt(value: JsonValue | undefined, key: string): JsonObject | undefined {
  const found = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}
