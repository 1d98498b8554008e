import type { ModelPrice, ModelPrices, TokenPrice } from '../../core/model/model-price.ts';

/** Renders a price file, one model per line; `from` and `day` (YYYY-MM-DD) are the source and date of the prices. */
export function priceFileText(prices: ModelPrices, { from, day }: { readonly from: string; readonly day: string }): string {
  const lines = [...prices]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([model, price]) => `  ${keyText(model)}: { ${priceText(price)} }`);
  return [
    `# What models cost, in US dollars per million tokens, from ${from}; written by \`cadre prices --update\`.`,
    'type: prices',
    `as_of: ${day}`,
    'prices:',
    ...lines,
    '',
  ].join('\n');
}

/** Renders a price in the form of a price file. */
export function priceText(price: ModelPrice): string {
  const { above } = price;
  const longer = above === undefined ? '' : `, above: { tokens: ${above.tokens}, ${tokenPriceText(above)} }`;
  return `${tokenPriceText(price)}${longer}`;
}

function tokenPriceText({ input, output, cacheRead, cacheWrite, reasoning }: TokenPrice): string {
  return Object.entries({ input, output, cache_read: cacheRead, cache_write: cacheWrite, reasoning })
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]))
    .join(', ');
}

/** Quotes a name that YAML would read as another type. */
function keyText(model: string): string {
  return /^[A-Za-z][\w./*-]*$/.test(model) ? model : JSON.stringify(model);
}
