import type { ModelPrice, ModelPrices, TokenPrice } from '../../../core/model/model-price.ts';
import type { Report } from '../../report.ts';
import { validateShape } from '../../schema/validate-shape.ts';
import type { MapNode } from '../../yaml/source-node.ts';
import { mapNode, readNumber } from '../read-node.ts';

/** Combines the prices of all price files; a later file overrides an earlier one. */
export function compilePrices(report: Report, files: readonly (MapNode | ModelPrices)[]): ModelPrices {
  const prices = new Map<string, ModelPrice>();
  for (const file of files) {
    if (!('kind' in file)) {
      for (const [model, price] of file) prices.set(model, price);
      continue;
    }
    validateShape('prices', file, report);
    const table = mapNode(file, 'prices');
    for (const model of table?.entries.keys() ?? []) {
      const node = mapNode(table, model);
      const price = node === undefined ? undefined : readPrice(report, node);
      if (price !== undefined) prices.set(model, price);
    }
  }
  return prices;
}

/** Reads a price of an LLM config or price file; returns undefined, and reports, when it is incomplete. */
export function readPrice(report: Report, node: MapNode): ModelPrice | undefined {
  const price = tokenPrice(report, node);
  const above = mapNode(node, 'above');
  if (price === undefined || above === undefined) return price;
  const tokens = readNumber(above, 'tokens');
  const longer = tokenPrice(report, above);
  if (longer === undefined) return undefined;
  if (tokens !== undefined) return { ...price, above: { tokens, ...longer } };
  report.error('MISSING_KEY', {
    at: above.at,
    message: '`above` needs `tokens`',
    hint: 'the longest prompt, in tokens, at the usual price',
  });
  return undefined;
}

function tokenPrice(report: Report, node: MapNode): TokenPrice | undefined {
  const input = readNumber(node, 'input');
  const output = readNumber(node, 'output');
  if (input === undefined || output === undefined) {
    report.error('MISSING_KEY', {
      at: node.at,
      message: 'price needs both `input` and `output`',
      hint: 'US dollars per million tokens',
    });
    return undefined;
  }
  const cacheRead = readNumber(node, 'cache_read');
  const cacheWrite = readNumber(node, 'cache_write');
  const reasoning = readNumber(node, 'reasoning');
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
