import type { JsonSchema } from '../../core/json.ts';
import { condition, inboxSource, jsonSchema, list, name, object, text, words } from './schema-parts.ts';

const variables = (description: string): JsonSchema => ({ type: 'object', additionalProperties: words('A path.'), description });

const inherited = object(
  'One value inherited from the caller.',
  {
    from_source: object(
      'Location of the value.',
      {
        path: words('A path, with {{variable}} for each variable of replace.'),
        replace: variables('Variables by name, each with the path of its value.'),
        path_to_iterate: words('A path that is read once per value, with {{variable}} for each variable of iterate_on.'),
        iterate_on: variables('Variables by name, each with the path of the list of its values.'),
      },
      { 'x-what': 'from_source' },
    ),
    as_payload_key: words('Key of the value in the briefing.'),
    'x-handover-title': text('Heading of the value in the briefing.'),
    schema: jsonSchema('JSON Schema for rendering the value.'),
    condition,
  },
  { required: ['from_source', 'as_payload_key'], 'x-what': 'an inheritance rule' },
);

/** The JSON Schema of a handover protocol file, for the loader and for editors. */
export const handoverProtocolSchema: JsonSchema = object(
  'A Cadre handover protocol: what a caller passes to an agent it starts.',
  {
    protocol_name: name('Name of the protocol; unique.'),
    version: text('Version of the protocol.'),
    description: text('Purpose of the protocol.'),
    context_parameters: jsonSchema('JSON Schema of the parameters that the caller fills in.'),
    inheritance: list('Other values inherited from the caller.', inherited),
    target_inbox_item: object(
      'Inbox item that delivers the briefing.',
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
