import type { JsonSchema } from '../../core/json.ts';
import { number, object, oneOf, whole, words } from './schema-parts.ts';

const perToken = {
  input: number('Price of input.', 0),
  output: number('Price of output.', 0),
  cache_read: number('Price of input read from the cache; default: as input.', 0),
  cache_write: number('Price of input written to the cache; default: as input.', 0),
  reasoning: number('Price of reasoning; default: as output.', 0),
};

/** Schema of the price of a model. */
export const priceSchema: JsonSchema = object(
  'US dollars per million tokens.',
  {
    ...perToken,
    above: object(
      'Prices for the whole of a call with a longer prompt.',
      { tokens: whole('Prompt length, in tokens, above which these prices apply.', 1), ...perToken },
      { 'x-what': 'price' },
    ),
  },
  { 'x-what': 'price' },
);

/** Schema of price files. */
export const pricesSchema: JsonSchema = object(
  'Prices of models.',
  {
    type: oneOf('Always prices.', ['prices']),
    as_of: words('Date of the prices, as YYYY-MM-DD.'),
    description_for_human: words('Purpose of the file, for people.'),
    prices: {
      type: 'object',
      additionalProperties: priceSchema,
      description: 'Prices by provider/model, by model, or by provider/* for all other models of a provider.',
    },
  },
  { 'x-what': 'price file' },
);
