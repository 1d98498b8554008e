import type { JsonSchema } from '../../core/json.ts';
import { freeMap, list, named, object, text, words } from './schema-parts.ts';

const expression: JsonSchema = { type: ['string', 'boolean'], description: 'A CEL expression over the request to the model.' };
const variables = freeMap('Values by name, read as vars.name; texts may contain {{ expressions }}.');

const call = object('One tool call.', {
  tool: named(words('Name of the tool.'), 'tools'),
  args: { description: 'Arguments of the call; texts may contain {{ expressions }}.' },
  when: expression,
  for_each: text('An expression that yields a list; makes one call per item.'),
  as: words('Name of the item in expressions; default item.'),
});

const reply: JsonSchema = {
  anyOf: [
    text('Text of the reply; may contain {{ expressions }}.'),
    object('The reply.', {
      text: text('Text of the reply; may contain {{ expressions }}.'),
      reasoning: text('Reasoning of the model before the reply.'),
      tool_calls: list('Tool calls in the reply.', call),
      fail: text('Fails the model call with this message; may contain {{ expressions }}.'),
    }),
  ],
};

const rule = object(
  'One rule; the first with a true condition replies.',
  { id: words('Id of the rule.'), description: text('Purpose, for people.'), when: expression, let: variables, reply },
  { required: ['reply'] },
);

/** JSON Schema of a script for editors. The loader compiles scripts instead, which finds more problems. */
export const scriptSchema: JsonSchema = object(
  'The rules of a scripted model.',
  {
    name: text('Name of the script.'),
    description: text('Purpose, for people.'),
    let: variables,
    rules: list('The rules, in order.', rule),
    otherwise: reply,
  },
  { required: ['rules'] },
);
