import { condition, itemId, names, object, remove, text, whole, words } from './schema-parts.ts';

/** Schema of a checkpoint: the agent waits there until a person lets it continue or ends it. */
export const checkpointSchema = object(
  'The agent waits for a person before a turn for which all of these conditions are true.',
  {
    id: itemId,
    remove,
    after_turns: whole('Number of turns since the agent started, or since a person last sent it a message.', 1),
    on_tools: names('One of these tools succeeded in the previous turn.', 'tools'),
    condition,
    message: text("Question to the person; {{ expressions }} read what conditions read. The agent's latest actions are added."),
    outcome: words('Outcome when the person ends the agent; default checkpoint.'),
    description: text('Purpose, for people; not shown to any model.'),
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
