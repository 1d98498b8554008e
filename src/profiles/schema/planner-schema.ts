import type { JsonSchema } from '../../core/json.ts';
import {
  condition,
  flag,
  freeMap,
  itemId,
  list,
  named,
  object,
  oneOf,
  pattern,
  remove,
  text,
  variants,
  whole,
  words,
} from './schema-parts.ts';

const args = freeMap('Its arguments; texts may hold {{ expressions }} over task, last, results and the roots of the agent.');
const call = object('A tool call.', { tool: named(words('The tool.'), 'tools'), args }, { required: ['tool'], 'x-what': 'a call' });
const answer = text('What is said when the calls have ended well; may hold {{ expressions }}, as {{ last.content }}.');

/** What a rule or a default does: one of call, calls, say and fail. */
const moves = {
  call,
  calls: list('Several calls at once.', call),
  answer,
  say: text('Words; may hold {{ expressions }}.'),
  fail: text('Ends the plan with this error; may hold {{ expressions }}.'),
} as const;

const move = object('What is done: call, calls, say or fail.', moves, { 'x-what': 'a move' });

const rule = object(
  'One rule; the first whose condition holds is followed.',
  {
    id: itemId,
    remove,
    condition,
    ...moves,
    ask_model: flag('True: the model of the profile decides this turn.'),
    description: text('What it is for; not shown to any model.'),
  },
  { required: ['id'], 'x-what': 'a rule of a planner' },
);

const step = object(
  'One step: a tool call.',
  {
    id: itemId,
    remove,
    tool: named(words('The tool it calls.'), 'tools'),
    args,
    condition: { ...condition, description: 'The step is left out unless this expression holds.' },
    expect: { ...condition, description: 'An expression over last and results; when it does not hold, the step has failed.' },
    keep_agent: flag('In a loop: the agent it called in the iteration before goes on, by its agent_id.'),
    notes: text('What the step is for; shown to the model when the script is advice.'),
  },
  { required: ['id'], 'x-what': 'a step' },
);

const orModel: JsonSchema = {
  ...move,
  type: ['object', 'string'],
  pattern: '^model$',
  'x-expects': 'model, or a map with call, calls, say or fail',
  description: 'What is done when nothing else is: model, or a move.',
};

/** Who decides in a model's place. */
export const plannerSchema: JsonSchema = variants({
  description: 'Decides in place of a model: by one action, by words, by rules, by a script, or by a loop of steps.',
  what: 'planner',
  key: 'type',
  common: {},
  kinds: {
    single_action: { tool: named(words('The tool that is called.'), 'tools'), args, answer },
    static: { words: list('Words of the task, any of which makes the call.', words('A word.')), call, answer, say: moves.say },
    rules: {
      rules: list('Asked in order.', rule),
      default: orModel,
      fallback: { ...move, description: 'In place of a model that failed, or called nobody who is there.' },
    },
    script: {
      steps: list('In order, one per turn.', step),
      steps_from: pattern(
        'Where the steps stand when somebody else wrote them, as initial_params.script.',
        String.raw`^initial_params(\.[A-Za-z0-9_-]+)+$`,
        'a path like initial_params.script',
      ),
      mode: oneOf('direct (unless set): the steps are run; guided: they are advice to the model of the profile.', [
        'direct',
        'guided',
      ]),
      guided_when: { ...condition, description: 'The steps are advice to the model when this expression holds.' },
      answer,
      stop_on_error: flag('False: steps go on behind one that failed.'),
      default: orModel,
    },
    loop: {
      steps: list('Of each iteration, in order.', step),
      answer,
      max_iterations: whole('Most iterations; 3 unless set.', 1),
      until: { ...condition, description: 'Asked after each iteration; when it holds, the loop is over.' },
      recover_from: list('Codes and statuses of failures that the next iteration follows on.', words('A code.')),
      default: orModel,
    },
  },
});
