import type { JsonSchema } from '../../core/json.ts';
import { list, name, named, object, oneOf, pattern, text, words } from './schema-parts.ts';

/** Matches what a team may include: the folder above it, one beside it, or a bundled team. */
export const includePattern = /^(?:\.\.(?:\/[\w-][\w.-]*)?|[\w-]+)$/;

/** JSON Schema of `team.yaml`, the file that makes a folder a separate team. */
export const teamSchema: JsonSchema = object(
  'A Cadre team: the folder of this file is loaded separately from the folder above it.',
  {
    type: oneOf('Always team.', ['team']),
    name: name('Name of the team; usually that of its folder.'),
    description: text('Purpose of the team, for people.'),
    default_profile: named(name('Profile that a run starts with by default.'), 'profiles'),
    llm: named(name("LLM config used instead of every profile's own, unless a launch names one."), 'llm_configs'),
    docs: words('Documents that the command line gives the team, a folder or one file, relative to this file.'),
    store: words('Journal of the command line: a file, relative to this one, or postgres://….'),
    titles: object(
      'Generates a title for each run launched without one, after its first reply.',
      { llm_config: named(words('LLM config or model that writes the titles; a small one is enough.'), 'llm_configs') },
      { required: ['llm_config'], 'x-what': 'titles' },
    ),
    includes: list(
      'Teams loaded with this one.',
      named(
        pattern(
          'Folder above, folder beside this one, or bundled team.',
          includePattern.source,
          '`..` (the folder above), `../name` (one beside it), or the name of a bundled team',
        ),
        'teams',
      ),
    ),
  },
  {
    required: ['type', 'name'],
    'x-what': 'a team',
    'x-mistakes': {
      llm_config: 'write llm',
      model: 'write llm: NAME of an LLM config',
      journal: 'write store',
      documents: 'write docs',
    },
  },
);
