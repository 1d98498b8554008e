import type { JsonSchema } from '../../core/json.ts';
import { freeMap, name, object, oneOf, text, words } from './schema-parts.ts';

/** The JSON Schema of a toolset file, for the loader and for editors. What stands in `settings`, the kind's own schema says. */
export const toolsetSchema: JsonSchema = object(
  'A Cadre toolset: tools that profiles allow by its name.',
  {
    type: oneOf('Always toolset.', ['toolset']),
    name: name('What profiles allow it by; unique. Its tools bear it in front of their names, unless it is the name of its kind.'),
    kind: words('Which kind of toolset it is: workspace, shell, mcp, …; its name unless given.'),
    description_for_human: text('What it is for.'),
    settings: freeMap('How it works; values may come from the environment: { _type: from_env, var: NAME }.'),
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
