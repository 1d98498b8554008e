import type { JsonSchema } from '../../core/json.ts';
import { number, object, oneOf, whole, words } from './schema-parts.ts';

const perToken = {
  input: number('Input.', 0),
  output: number('Output.', 0),
  cache_read: number('Input read from the cache; as input unless set.', 0),
  cache_write: number('Input written to the cache; as input unless set.', 0),
  reasoning: number('Reasoning; as output unless set.', 0),
};

/** The schema of what a model costs. */
export const priceSchema: JsonSchema = object(
  'US dollars per million tokens.',
  {
    ...perToken,
    above: object(
      'What a call costs whose prompt is longer than this, all of it.',
      { tokens: whole('Tokens of the prompt.', 1), ...perToken },
      { 'x-what': 'price' },
    ),
  },
  { 'x-what': 'price' },
);

/** The schema of price files. */
export const pricesSchema: JsonSchema = object(
  'What models cost.',
  {
    type: oneOf('Says what this file is.', ['prices']),
    as_of: words('The day the prices were looked up, as YYYY-MM-DD.'),
    description_for_human: words('For people.'),
    prices: {
      type: 'object',
      additionalProperties: priceSchema,
      description: 'Prices by provider/model, by model, or by provider/* for all other models of a provider.',
    },
  },
  { 'x-what': 'price file' },
);
