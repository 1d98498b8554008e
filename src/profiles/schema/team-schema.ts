import type { JsonSchema } from '../../core/json.ts';
import { list, name, named, object, oneOf, pattern, text, words } from './schema-parts.ts';

/** What a team may include: the folder it lies in, one beside it, or a team that comes with Cadre. */
export const includePattern = /^(?:\.\.(?:\/[\w-][\w.-]*)?|[\w-]+)$/;

/** The JSON Schema of `team.yaml`, the file that makes a folder a team of its own. */
export const teamSchema: JsonSchema = object(
  'A Cadre team: the folder this file lies in is loaded by itself, and not with the folder above it.',
  {
    type: oneOf('Always team.', ['team']),
    name: name('What the team is called; usually the name of its folder.'),
    description: text('What the team is for, for people.'),
    default_profile: named(name('The profile that runs begin with when nobody names one.'), 'profiles'),
    titles: object(
      'Has a model word the title of each run that is launched without one, after its first reply.',
      { llm_config: named(words('The LLM config or model that does; a small one will do.'), 'llm_configs') },
      { required: ['llm_config'], 'x-what': 'titles' },
    ),
    includes: list(
      'What is loaded with it.',
      named(
        pattern(
          'The folder above, one beside this one, or a bundled team.',
          includePattern.source,
          '`..` (the folder above), `../name` (one beside it), or the name of a team that comes with Cadre',
        ),
        'teams',
      ),
    ),
  },
  { required: ['type', 'name'], 'x-what': 'a team' },
);
