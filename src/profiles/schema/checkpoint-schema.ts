import { condition, itemId, names, object, remove, text, whole, words } from './schema-parts.ts';

/** A place where an agent waits for a person to let it go on, or to end it with what there is. */
export const checkpointSchema = object(
  'A place where the agent waits for a person: it is reached before a turn when all that stands here holds.',
  {
    id: itemId,
    remove,
    after_turns: whole('So many turns since it began, or since a person last spoke to it.', 1),
    on_tools: names('One of these tools was called in the turn before, and did not fail.', 'tools'),
    condition,
    message: text('What the person is asked; {{ expressions }} see what conditions see. What the agent did last is added.'),
    outcome: words('How the agent ends when the person ends it; default checkpoint.'),
    description: text('What it is for; not shown to any model.'),
  },
  {
    required: ['id'],
    'x-what': 'a checkpoint',
    'x-mistakes': {
      after_iterations: 'write after_turns',
      tools: 'write on_tools',
      on_operations: 'write on_tools, or a condition',
    },
  },
);
