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
    'Content of the item. Texts may contain {{ expressions }}; content_key names a text definition, content is the text itself.',
};

const itemParts = {
  payload,
  consumption_policy: oneOf(
    'consume_on_read (the default): reading removes the item; persistent_until_consumed: it stays for later turns.',
    ['consume_on_read', 'persistent_until_consumed'],
  ),
  ingestor_id: named(words('Ingestor that formats the item, instead of the one for its source.'), 'ingestors'),
  ingestor_params: freeMap('Parameters of that ingestor.'),
  priority: { type: 'number', description: 'Lower values are read first; default: the priority of the source.' },
  max_turns: whole('For persistent items: maximum number of turns that read it.', 1),
};

const update = variants({
  description: 'One change of state.',
  what: 'operation',
  key: 'operation',
  common: { path: named(words('flags.x, values.x, deliverables.x, or team.shared.x'), 'state_paths') },
  kinds: {
    set: { value: { description: 'New value; texts may contain {{ expressions }}.' } },
    increment: { value: { description: 'Amount to add; default 1.' } },
    append: { value: { description: 'Value to append to the list.' } },
    remove: {},
  },
  more: { required: ['operation', 'path'] },
});

const inDecider = 'it is an action of flow_decider: move it there as a rule';
const inObserver = 'it is an action of observers: move it to pre_turn_observers or post_turn_observers';

const observerAction = variants({
  description: 'Action of the observer.',
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
      inbox_item: object('Item to post.', { source: inboxSource, ...itemParts }),
    },
    update_state: { updates: list('Changes, applied in order.', update) },
    call: {
      observer: named(words('Name of an observer written in code.'), 'observers'),
      params: freeMap('Parameters of the observer.'),
    },
    set_tool_choice: {
      tool_choice: named(words('For the next turn: auto, none, required, or the only tool it may call.'), 'tools'),
    },
    filter_tools: {
      only: names('The only tools and toolsets available in the next turn.', 'tools', 'toolsets'),
      except: names('Tools and toolsets removed from the next turn.', 'tools', 'toolsets'),
    },
  },
});

/** Schema of an observer. */
export const observerSchema = object(
  'Runs when its condition is true, before or after the model call.',
  {
    id: itemId,
    before,
    remove,
    type: oneOf('Kind of observer.', ['declarative']),
    condition,
    action: observerAction,
    description: text('Purpose, for people; not shown to any model.'),
  },
  { required: ['id'], 'x-what': 'an observer' },
);

const deciderAction = variants({
  description: 'Action of the rule.',
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
      outcome: words('success, error, or a custom word.'),
      error_message: text('Reason for the outcome; may contain {{ expressions }}.'),
      output: text('Final text; default: the last reply.'),
    },
    call_tool: {
      tool: named(words('Tool to call.'), 'tools'),
      args: freeMap('Arguments of the call; texts may contain {{ expressions }}.'),
    },
    await: { on: list('Inbox sources that wake the agent.', inboxSource) },
    retry_turn: {},
    set_tool_choice: { tool_choice: named(words('auto, none, required, or a tool name.'), 'tools') },
  },
});

/** Schema of a flow decider rule. */
export const ruleSchema = object(
  'One rule; the first with a true condition decides.',
  {
    id: itemId,
    before,
    remove,
    condition,
    action: deciderAction,
    description: text('Purpose, for people; not shown to any model.'),
  },
  { required: ['id'], 'x-what': 'a rule' },
);
