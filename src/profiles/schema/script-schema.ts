import type { JsonSchema } from '../../core/json.ts';
import { freeMap, list, named, object, text, words } from './schema-parts.ts';

const expression: JsonSchema = { type: ['string', 'boolean'], description: 'A CEL expression over what the model was sent.' };
const variables = freeMap('Values by name, read as vars.name; texts may hold {{ expressions }}.');

const call = object('One tool call.', {
  tool: named(words('The name of the tool.'), 'tools'),
  args: { description: 'Its arguments; texts may hold {{ expressions }}.' },
  when: expression,
  for_each: text('An expression for a list: one call per item.'),
  as: words('What the item is called; default item.'),
});

const reply: JsonSchema = {
  anyOf: [
    text('The text of the reply; may hold {{ expressions }}.'),
    object('The reply.', {
      text: text('Its text; may hold {{ expressions }}.'),
      reasoning: text('What the model thinks before.'),
      tool_calls: list('The calls it makes.', call),
      fail: text('Fails the model call with this message, in place of an answer; may hold {{ expressions }}.'),
    }),
  ],
};

const rule = object(
  'One rule; the first whose condition holds replies.',
  { id: words('Identifies the rule.'), description: text('What it is for.'), when: expression, let: variables, reply },
  { required: ['reply'] },
);

/** The JSON Schema of a script, for editors; the loader compiles scripts, which finds all of this and more. */
export const scriptSchema: JsonSchema = object(
  'The rules of a scripted model.',
  {
    name: text('What it is called.'),
    description: text('What it is for.'),
    let: variables,
    rules: list('The rules, in order.', rule),
    otherwise: reply,
  },
  { required: ['rules'] },
);
