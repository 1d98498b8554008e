import type { JsonSchema } from '../../core/json.ts';
import { freeMap, name, object, oneOf, text, words } from './schema-parts.ts';

/** JSON Schema of a toolset file, for the loader and for editors. The schema of the kind describes `settings`. */
export const toolsetSchema: JsonSchema = object(
  'A Cadre toolset: tools that profiles allow by its name.',
  {
    type: oneOf('Always toolset.', ['toolset']),
    name: name(
      'Name by which profiles allow the toolset; unique. It prefixes the names of its tools, unless it is the name of its kind.',
    ),
    kind: words('Kind of toolset: workspace, shell, mcp, …; default: its name.'),
    description_for_human: text('Purpose of the toolset, for people.'),
    settings: freeMap('Settings of the kind; values may come from the environment: { _type: from_env, var: NAME }.'),
  },
  {
    required: ['name'],
    'x-what': 'a toolset',
    'x-mistakes': {
      command: 'write it below settings:',
      url: 'write it below settings:',
      transport: 'write it below settings:',
      env: 'write it below settings:',
    },
  },
);
