import type { JsonSchema } from '../../core/json.ts';
import { streaks } from '../../core/profile/escalation.ts';
import { before, itemId, named, object, oneOf, remove, text, variants, whole, words } from './schema-parts.ts';

const action = variants({
  description: 'What is done.',
  what: 'action',
  key: 'type',
  keySchema: { 'x-elsewhere': { end_agent_turn: 'write end', retry: 'write nudge', stop: 'write end', ask: 'write ask_human' } },
  common: {},
  kinds: {
    nudge: { message: text('What the agent is told, in its next turn only.') },
    forbid_tool: {},
    switch_llm_config: { llm_config: named(words('The LLM config that answers until the streak breaks.'), 'llm_configs') },
    ask_human: { message: text('What the person is asked; what was repeated is added.') },
    end: { outcome: words('The outcome; default stagnation. success is not allowed.') },
  },
});

const step = object(
  'One rung of the ladder: at this length of this streak, do that. Each is climbed once until the streak breaks.',
  {
    id: itemId,
    before,
    remove,
    on: oneOf('The streak; default same_action_same_result_streak.', streaks),
    at: whole('How long the streak must be.', 1),
    action,
    description: text('What it is for; not shown to any model.'),
  },
  { required: ['id'], 'x-what': 'a rung' },
);

/** What a profile does about an agent that gets nowhere: a ladder, or `off`. */
export const stagnationSchema: JsonSchema = {
  type: ['array', 'string'],
  pattern: '^off$',
  'x-expects': 'a list of rungs, or off',
  items: step,
  description: 'What is done when the agent gets nowhere, in order; off = nothing. Without it there is a default ladder.',
};
