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

const args = freeMap(
  'Arguments of the call; texts may contain {{ expressions }} over task, last, results and the roots of the agent.',
);
const call = object(
  'A tool call.',
  { tool: named(words('Tool to call.'), 'tools'), args },
  { required: ['tool'], 'x-what': 'a call' },
);
const answer = text('Reply after the calls have succeeded; may contain {{ expressions }}, such as {{ last.content }}.');

/** Moves of a rule or default: one of call, calls, say and fail. */
const moves = {
  call,
  calls: list('Several concurrent calls.', call),
  answer,
  say: text('Reply; may contain {{ expressions }}.'),
  fail: text('Ends the plan with this error; may contain {{ expressions }}.'),
} as const;

const move = object('One move: call, calls, say or fail.', moves, { 'x-what': 'a move' });

const rule = object(
  'One rule; the first with a true condition applies.',
  {
    id: itemId,
    remove,
    condition,
    ...moves,
    ask_model: flag("True: the profile's model decides this turn."),
    description: text('Purpose, for people; not shown to any model.'),
  },
  { required: ['id'], 'x-what': 'a rule of a planner' },
);

const step = object(
  'One step: a tool call.',
  {
    id: itemId,
    remove,
    tool: named(words('Tool to call.'), 'tools'),
    args,
    condition: { ...condition, description: 'The step is skipped unless this expression is true.' },
    expect: { ...condition, description: 'An expression over last and results; when it is false, the step has failed.' },
    keep_agent: flag('In a loop: continues the agent of the previous iteration, by its agent_id.'),
    notes: text('Purpose of the step; shown to the model when the script is guidance.'),
  },
  { required: ['id'], 'x-what': 'a step' },
);

const orModel: JsonSchema = {
  ...move,
  type: ['object', 'string'],
  pattern: '^model$',
  'x-expects': 'model, or a map with call, calls, say or fail',
  description: 'Applies when nothing else does: model, or a move.',
};

/** Schema of a planner, which decides instead of a model. */
export const plannerSchema: JsonSchema = variants({
  description: 'Decides instead of a model: by one action, by words, by rules, by a script, or by a loop of steps.',
  what: 'planner',
  key: 'type',
  common: {},
  kinds: {
    single_action: { tool: named(words('Tool to call.'), 'tools'), args, answer },
    static: {
      words: list('Words; the call is made when the task contains one of them.', words('A word.')),
      call,
      answer,
      say: moves.say,
    },
    rules: {
      rules: list('Rules, in order.', rule),
      default: orModel,
      fallback: { ...move, description: 'Move when the model failed, or called an unknown agent.' },
    },
    script: {
      steps: list('Steps, in order, one per turn.', step),
      steps_from: pattern(
        'Path of steps that the caller supplies, such as initial_params.script.',
        String.raw`^initial_params(\.[A-Za-z0-9_-]+)+$`,
        'a path like initial_params.script',
      ),
      mode: oneOf("direct (the default): runs the steps; guided: gives them to the profile's model as guidance.", [
        'direct',
        'guided',
      ]),
      guided_when: { ...condition, description: 'The steps are guidance for the model when this expression is true.' },
      answer,
      stop_on_error: flag('False: continues after a failed step.'),
      default: orModel,
    },
    loop: {
      steps: list('Steps of each iteration, in order.', step),
      answer,
      max_iterations: whole('Maximum number of iterations; default 3.', 1),
      until: { ...condition, description: 'Checked after each iteration; the loop ends when it is true.' },
      recover_from: list('Error codes and statuses after which the next iteration still runs.', words('A code.')),
      default: orModel,
    },
  },
});
