import type { JsonSchema } from '../../core/json.ts';
import { streaks } from '../../core/profile/escalation.ts';
import { before, itemId, named, object, oneOf, remove, text, variants, whole, words } from './schema-parts.ts';

const action = variants({
  description: 'Action of the step.',
  what: 'action',
  key: 'type',
  keySchema: { 'x-elsewhere': { end_agent_turn: 'write end', retry: 'write nudge', stop: 'write end', ask: 'write ask_human' } },
  common: {},
  kinds: {
    nudge: { message: text('Message to the agent, for its next turn only.') },
    forbid_tool: {},
    switch_llm_config: { llm_config: named(words('LLM config to use until the streak breaks.'), 'llm_configs') },
    ask_human: { message: text('Question to the person; the repeated actions are added.') },
    end: { outcome: words('Outcome of the agent; default stagnation. success is not allowed.') },
  },
});

const step = object(
  'One step of the escalation: acts when the streak reaches this length. Each step is taken once until the streak breaks.',
  {
    id: itemId,
    before,
    remove,
    on: oneOf('Streak to watch; default same_action_same_result_streak.', streaks),
    at: whole('Length of the streak at which the step is taken.', 1),
    action,
    description: text('Purpose, for people; not shown to any model.'),
  },
  { required: ['id'], 'x-what': 'a step' },
);

/** Schema of the escalation for agents that make no progress: a list of steps, or `off`. */
export const stagnationSchema: JsonSchema = {
  type: ['array', 'string'],
  pattern: '^off$',
  'x-expects': 'a list of steps, or off',
  items: step,
  description: 'Steps taken when the agent makes no progress, in order; off = none. Default: a built-in escalation.',
};
