import type { ModelPrice, ModelPrices, TokenPrice } from '../../core/model/model-price.ts';

/** A price file as text, one model a line; `from` and `day` (YYYY-MM-DD) say where the prices are from, and when. */
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

/** A price as it stands in a price file. */
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

/** A name that YAML would read as something else stands in quotes. */
function keyText(model: string): string {
  return /^[A-Za-z][\w./*-]*$/.test(model) ? model : JSON.stringify(model);
}
