import type { ModelPrice, ModelPrices } from '../../core/model/model-price.ts';

/** Matches a line without a price, the line of a model, and one price in it. */
const frame = /^(?:|#.*|type: prices|as_of: [\d-]+|prices:|  #.*)$/;
const line = /^  ([\w./*-]+): \{ ([^{}]+)(?:, above: \{ ([^{}]+) \})? \}$/;
const field = /^(input|output|cache_read|cache_write|reasoning|tokens): (\d+(?:\.\d+)?)$/;

const fields: Readonly<Record<string, 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning' | 'tokens'>> = {
  input: 'input',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write: 'cacheWrite',
  reasoning: 'reasoning',
  tokens: 'tokens',
};

/**
 * Reads a price file with one line per model, the form of the bundled file and of `cadre prices --update`. Every engine reads a
 * price file at start, and a full YAML parser takes a hundred times as long. Returns undefined for any other file.
 */
export function readPlainPrices(text: string): ModelPrices | undefined {
  if (!/^type: prices$/m.test(text)) return undefined;
  const prices = new Map<string, ModelPrice>();
  for (const each of text.split('\n')) {
    if (frame.test(each)) continue;
    const [, model, usual, above] = line.exec(each) ?? [];
    const price = usual === undefined ? undefined : readFields(usual);
    const longer = above === undefined ? undefined : readFields(above);
    if (model === undefined || price?.tokens !== undefined || !isPrice(price)) return undefined;
    if (above === undefined) prices.set(model, price);
    else if (isPrice(longer) && longer.tokens !== undefined)
      prices.set(model, { ...price, above: { ...longer, tokens: longer.tokens } });
    else return undefined;
  }
  return prices;
}

type Fields = { readonly [Key in (typeof fields)[string]]?: number };

function isPrice(price: Fields | undefined): price is Fields & { readonly input: number; readonly output: number } {
  return price?.input !== undefined && price.output !== undefined;
}

function readFields(text: string): Fields | undefined {
  const read: Record<string, number> = {};
  for (const each of text.split(', ')) {
    const [, name, value] = field.exec(each) ?? [];
    const key = name === undefined ? undefined : fields[name];
    if (key === undefined) return undefined;
    read[key] = Number(value);
  }
  return read;
}
