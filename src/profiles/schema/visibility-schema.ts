import type { JsonSchema } from '../../core/json.ts';
import { entryDefaults, entryGroups, mostEntries, mostEntryChars, visibleScopes } from '../../core/profile/visibility.ts';
import { list, oneOf } from './schema-parts.ts';

const kindNames = Object.keys(entryDefaults);

/** Returns the schema of a whole number for every kind, or one per kind. */
function perKind(description: string, most: number): JsonSchema {
  const bound = { type: 'integer', minimum: 1, maximum: most } as const;
  return {
    type: ['integer', 'object'],
    minimum: 1,
    maximum: most,
    properties: Object.fromEntries(kindNames.map((kind) => [kind, { ...bound, description: `For ${kind}.` }])),
    additionalProperties: false,
    'x-what': 'a bound of visibility',
    description,
  };
}

const scope = oneOf(
  'own: its own history before the current task; conversation: messages of the person and the first agent; team: actions of all other agents; below: actions of the agents it started; global: the list team.shared.global.',
  visibleScopes,
);

/** Schema of the peer history an agent sees: a list of scopes, or a map with bounds. */
export const visibilitySchema: JsonSchema = {
  type: ['array', 'object'],
  items: scope,
  required: ['show'],
  properties: {
    show: list('Scopes of the history shown.', scope),
    kinds: list(
      'Kinds of entries shown, or groups of them; default: all.',
      oneOf('Kind of entry, or group.', [...kindNames, ...Object.keys(entryGroups)]),
    ),
    last: perKind('Number of latest entries shown, for all kinds or per kind.', mostEntries),
    chars: perKind('Maximum length of an entry, in characters, for all kinds or per kind.', mostEntryChars),
  },
  additionalProperties: false,
  'x-what': 'visibility',
  description: 'History of other agents that the model sees: a list of scopes, or a map with show, kinds, last, chars.',
};
