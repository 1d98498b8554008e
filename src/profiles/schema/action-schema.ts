import type { JsonSchema } from '../../core/json.ts';
import {
  before,
  condition,
  freeMap,
  inboxSource,
  itemId,
  list,
  names,
  object,
  oneOf,
  remove,
  text,
  variants,
  whole,
  words,
  named,
} from './schema-parts.ts';

const payload: JsonSchema = {
  description:
    'What the item carries. Texts may hold {{ expressions }}; content_key names a text definition, content is a text of its own.',
};

const itemParts = {
  payload,
  consumption_policy: oneOf('Whether reading the item removes it.', ['consume_on_read', 'persistent_until_consumed']),
  ingestor_id: named(words('Who formats the item, instead of the ingestor of its source.'), 'ingestors'),
  ingestor_params: freeMap('Parameters of that ingestor.'),
  priority: { type: 'number', description: 'Lower is read first; default is the priority of the source.' },
  max_turns: whole('For persistent items: how many turns may read it.', 1),
};

const update = variants({
  description: 'One change of state.',
  what: 'operation',
  key: 'operation',
  common: { path: words('flags.x, values.x, deliverables.x, or team.shared.x') },
  kinds: {
    set: { value: { description: 'The new value; texts may hold {{ expressions }}.' } },
    increment: { value: { description: 'How much; default 1.' } },
    append: { value: { description: 'What to add to the list.' } },
    remove: {},
  },
  more: { required: ['operation', 'path'] },
});

const inDecider = 'it is an action of flow_decider: move it there as a rule';
const inObserver = 'it is an action of observers: move it to pre_turn_observers or post_turn_observers';

const observerAction = variants({
  description: 'What the observer does.',
  what: 'action',
  key: 'type',
  keySchema: {
    'x-elsewhere': {
      end_agent_turn: inDecider,
      continue_with_tool: inDecider,
      loop_with_inbox_item: inDecider,
      await_user_input: inDecider,
      await: inDecider,
      call_tool: inDecider,
      retry_turn: inDecider,
    },
  },
  common: {},
  kinds: {
    add_to_inbox: {
      target_agent_id: words('self (default), parent, partner, principal, or an agent id.'),
      inbox_item: object('The item to post.', { source: inboxSource, ...itemParts }),
    },
    update_state: { updates: list('The changes, in order.', update) },
    call: { observer: named(words('The name of an observer written in code.'), 'observers'), params: freeMap('Its parameters.') },
    set_tool_choice: {
      tool_choice: named(words('For the coming turn: auto, none, required, or the only tool it can call.'), 'tools'),
    },
    filter_tools: {
      only: names('The only tools and toolsets there are in the coming turn.', 'tools', 'toolsets'),
      except: names('Tools and toolsets that are not there in the coming turn.', 'tools', 'toolsets'),
    },
  },
});

/** One observer. */
export const observerSchema = object(
  'Runs when its condition holds, before or after the model call.',
  {
    id: itemId,
    before,
    remove,
    type: oneOf('The kind of observer.', ['declarative']),
    condition,
    action: observerAction,
    description: text('What it is for; not shown to any model.'),
  },
  { required: ['id'], 'x-what': 'an observer' },
);

const deciderAction = variants({
  description: 'What happens next.',
  what: 'action',
  key: 'type',
  keySchema: {
    'x-elsewhere': {
      add_to_inbox: inObserver,
      update_state: inObserver,
      call: inObserver,
      filter_tools: inObserver,
      end: 'write end_agent_turn',
    },
  },
  common: {},
  kinds: {
    continue_with_tool: {},
    loop_with_inbox_item: { source: inboxSource, ...itemParts },
    await_user_input: {},
    end_agent_turn: {
      outcome: words('success, error, or a word of your own.'),
      error_message: text('Why it ended so; may hold {{ expressions }}.'),
      output: text('The final text; default is the last reply.'),
    },
    call_tool: {
      tool: named(words('The tool to call.'), 'tools'),
      args: freeMap('Its arguments; texts may hold {{ expressions }}.'),
    },
    await: { on: list('The sources that wake the agent.', inboxSource) },
    retry_turn: {},
    set_tool_choice: { tool_choice: named(words('auto, none, required, or the name of a tool.'), 'tools') },
  },
});

/** One rule of the flow decider. */
export const ruleSchema = object(
  'One rule; the first whose condition holds decides.',
  { id: itemId, before, remove, condition, action: deciderAction, description: text('What it is for; not shown to any model.') },
  { required: ['id'], 'x-what': 'a rule' },
);
