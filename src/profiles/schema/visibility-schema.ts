import type { JsonSchema } from '../../core/json.ts';
import { entryDefaults, entryGroups, mostEntries, mostEntryChars, visibleScopes } from '../../core/profile/visibility.ts';
import { list, oneOf } from './schema-parts.ts';

const kindNames = Object.keys(entryDefaults);

/** A whole number for every kind, or one for each of some kinds. */
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
  'own: its own history before the task at hand; conversation: what the person and the first agent said; team: what all other agents did; below: the same of the agents it started; global: the list team.shared.global.',
  visibleScopes,
);

/** What an agent sees of the history of others: a list of scopes, or a map with bounds. */
export const visibilitySchema: JsonSchema = {
  type: ['array', 'object'],
  items: scope,
  required: ['show'],
  properties: {
    show: list('Whose history is shown.', scope),
    kinds: list(
      'The kinds of entries that are shown, or groups of them; all, unless set.',
      oneOf('A kind of entry, or a group.', [...kindNames, ...Object.keys(entryGroups)]),
    ),
    last: perKind('Most entries, the latest ones, for all kinds or per kind.', mostEntries),
    chars: perKind('Longest text of an entry in characters, for all kinds or per kind.', mostEntryChars),
  },
  additionalProperties: false,
  'x-what': 'visibility',
  description: 'What it sees of the history of others: a list of scopes, or a map with show, kinds, last, chars.',
};
