import type { JsonSchema } from '../../core/json.ts';
import { condition, inboxSource, jsonSchema, list, name, object, text, words } from './schema-parts.ts';

const variables = (description: string): JsonSchema => ({ type: 'object', additionalProperties: words('A path.'), description });

const inherited = object(
  'One value that is taken over from the caller’s side.',
  {
    from_source: object(
      'Where it is.',
      {
        path: words('A path, with {{variable}} for each variable of replace.'),
        replace: variables('Variables by name: the path of the value to put in.'),
        path_to_iterate: words('A path read once per value, with {{variable}} for each variable of iterate_on.'),
        iterate_on: variables('Variables by name: the path of the list to go through.'),
      },
      { 'x-what': 'from_source' },
    ),
    as_payload_key: words('The key of the briefing it becomes.'),
    'x-handover-title': text('Its heading in the briefing.'),
    schema: jsonSchema('JSON Schema used to render it.'),
    condition,
  },
  { required: ['from_source', 'as_payload_key'], 'x-what': 'an inheritance rule' },
);

/** The JSON Schema of a handover protocol file, for the loader and for editors. */
export const handoverProtocolSchema: JsonSchema = object(
  'A Cadre handover protocol: what a caller hands to an agent it starts.',
  {
    protocol_name: name('What the protocol is called; unique.'),
    version: text('Its version.'),
    description: text('What it is for.'),
    context_parameters: jsonSchema('JSON Schema of what the caller must fill in.'),
    inheritance: list('What is taken over besides.', inherited),
    target_inbox_item: object(
      'The item that carries the briefing.',
      { source: inboxSource },
      { required: ['source'], 'x-what': 'target_inbox_item' },
    ),
  },
  {
    required: ['protocol_name'],
    'x-what': 'a handover protocol',
    'x-mistakes': {
      context_inheritance: 'did you mean `inheritance`?',
      name: 'write protocol_name',
      parameters: 'write context_parameters',
    },
  },
);
