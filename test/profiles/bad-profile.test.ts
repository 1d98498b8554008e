import { describe } from 'vitest';
import { itReports } from './marked-files.ts';

const inList = (key: string, item: string): string => `name: A\n${key}:\n${item}\n`;
const observer = (action: string): string => inList('pre_turn_observers', `  - id: o\n    action: ${action}`);
const rule = (action: string): string =>
  inList(
    'flow_decider',
    `  - id: stop\n    condition: flags.stop\n    action: { type: end_agent_turn, outcome: success }\n  - id: r\n    action: ${action}`,
  );
const segment = (body: string): string => `name: A\nsystem_prompt_construction:\n  system_prompt_segments:\n    - ${body}\n`;
const gate = (body: string): string => inList('tool_gates', `  - { id: g, ${body} }`);

describe('shape of profiles (FAULTS Y6, Y7)', () => {
  itReports([
    { title: 'no name', text: '‸type: partner\n', code: 'MISSING_KEY', says: '`name` is missing in a profile' },
    { title: 'a blank name', text: "name: ‸' '\n", code: 'NOT_ALLOWED', says: 'letters, digits' },
    { title: 'a name with spaces', text: 'name: ‸My Agent\n', code: 'NOT_ALLOWED', says: ['`My Agent`', 'no spaces'] },
    {
      title: 'a name that is a number',
      text: 'name: ‸1.10\n',
      code: 'WRONG_TYPE',
      says: ['the number `1.10`', "quote it: '1.10'"],
    },
    { title: 'a name that is nothing', text: 'name:‸\n', code: 'WRONG_TYPE', says: ['found nothing', 'remove the key'] },
    { title: 'a name that is a list', text: 'name: ‸[A]\n', code: 'WRONG_TYPE', says: 'must be text, found a list' },
    {
      title: 'a text with a leading zero',
      text: 'name: A\ndescription_for_human: ‸012\n',
      code: 'WRONG_TYPE',
      says: "quote it: '012'",
    },
    {
      title: 'a text that is true',
      text: 'name: A\ndescription_for_human: ‸true\n',
      code: 'WRONG_TYPE',
      says: 'the boolean `true`',
    },
    {
      title: 'a mistyped key',
      text: 'name: A\n‸instrutions: hi\n',
      code: 'UNKNOWN_KEY',
      says: ['unknown key `instrutions` in a profile', 'did you mean `instructions`?', 'allowed: profile_id, name'],
    },
    { title: 'a key of other engines', text: 'name: A\n‸system_prompt: hi\n', code: 'UNKNOWN_KEY', says: 'write instructions' },
    { title: 'the legacy decider', text: 'name: A\n‸output_handling_config: {}\n', code: 'UNKNOWN_KEY', says: 'flow_decider' },
    { title: 'tools at the top', text: 'name: A\n‸tools: [search]\n', code: 'UNKNOWN_KEY', says: 'allowed_individual_tools' },
    { title: 'a type in upper case', text: 'name: A\ntype: ‸Partner\n', code: 'NOT_ALLOWED', says: 'lower case' },
    {
      title: 'a flag that is a word',
      text: 'name: A\nis_active: ‸yes\n',
      code: 'WRONG_TYPE',
      says: ['must be true or false', 'write true'],
    },
    { title: 'a flag that is off', text: 'name: A\navailable_for_staffing: ‸off\n', code: 'WRONG_TYPE', says: 'write false' },
    { title: 'a revision with a fraction', text: 'name: A\nrev: ‸1.5\n', code: 'WRONG_TYPE', says: 'a whole number' },
    { title: 'a revision in quotes', text: "name: A\nrev: ‸'2'\n", code: 'WRONG_TYPE', says: 'remove the quotes: 2' },
    { title: 'blank instructions', text: "name: A\ninstructions: ‸''\n", code: 'NOT_ALLOWED', says: 'not blank' },
    {
      title: 'a policy that is a list',
      text: 'name: A\ntool_access_policy: ‸[search]\n',
      code: 'WRONG_TYPE',
      says: 'must be a map',
    },
    {
      title: 'a mistyped policy key',
      text: 'name: A\ntool_access_policy: { ‸allowed_toolset: [planning] }\n',
      code: 'UNKNOWN_KEY',
      says: ['in tool_access_policy', 'did you mean `allowed_toolsets`?'],
    },
    {
      title: 'one toolset without a list',
      text: 'name: A\ntool_access_policy: { allowed_toolsets: ‸planning }\n',
      code: 'WRONG_TYPE',
      says: 'write a list',
    },
    {
      title: 'a toolset that is a number',
      text: 'name: A\ntool_access_policy: { allowed_toolsets: [‸3] }\n',
      code: 'WRONG_TYPE',
      says: '`tool_access_policy.allowed_toolsets[0]`',
    },
    {
      title: 'text definitions that are a list',
      text: 'name: A\ntext_definitions: ‸[a]\n',
      code: 'WRONG_TYPE',
      says: 'must be a map',
    },
    {
      title: 'a text definition that is a map',
      text: 'name: A\ntext_definitions:\n  a: ‸{ b: c }\n',
      code: 'WRONG_TYPE',
      says: '`text_definitions.a` must be text',
    },
    { title: 'a limit below one', text: 'name: A\nlimits: { max_turns: ‸0 }\n', code: 'OUT_OF_RANGE', says: ['>= 1', '`0`'] },
    { title: 'a negative limit', text: 'name: A\nlimits: { max_cost_usd: ‸-1 }\n', code: 'OUT_OF_RANGE', says: '> 0' },
    { title: 'a share above one', text: 'name: A\nlimits: { soft_at: ‸80 }\n', code: 'OUT_OF_RANGE', says: '<= 1' },
    { title: 'an unknown limit', text: 'name: A\nlimits: { ‸max_steps: 3 }\n', code: 'UNKNOWN_KEY', says: 'write max_turns' },
    { title: 'a duration without unit', text: "name: A\nlimits: { max_wall_seconds: ‸'10' }\n", code: 'NOT_ALLOWED', says: '10m' },
    {
      title: 'a duration of nothing',
      text: 'name: A\nlimits: { max_wall_seconds: ‸10 minutes }\n',
      code: 'NOT_ALLOWED',
      says: '500ms, 30s, 10m, 1h',
    },
    {
      title: 'a window that is text',
      text: 'name: A\ncontext_policy: { window: ‸all }\n',
      code: 'WRONG_TYPE',
      says: 'a whole number',
    },
    {
      title: 'a truncation of an unknown kind',
      text: 'name: A\ncontext_policy: { truncate: { ‸tool: 5 } }\n',
      code: 'UNKNOWN_KEY',
      says: 'tool_result, user, assistant',
    },
    {
      title: 'an unknown key of the context policy',
      text: 'name: A\ncontext_policy: { ‸windows: 5 }\n',
      code: 'UNKNOWN_KEY',
      says: 'did you mean `window`?',
    },
    { title: 'a test that is a text', text: 'name: A\ntests: [‸one]\n', code: 'WRONG_TYPE', says: '`tests[0]`' },
    {
      title: 'environment values in a profile',
      text: 'name: A\ntests: [{ key: { _type: ‸from_env, var: SECRET } }]\n',
      code: 'NOT_ALLOWED',
      says: 'LLM configs only',
    },
  ]);
});

describe('system prompt segments', () => {
  itReports([
    {
      title: 'no id',
      text: segment('‸{ type: static_text, content: hi }'),
      code: 'MISSING_KEY',
      says: '`id` is missing in `system_prompt_construction.system_prompt_segments[0]`',
    },
    {
      title: 'an id with spaces',
      text: segment('{ id: ‸a b, type: tool_description }'),
      code: 'NOT_ALLOWED',
      says: 'letters, digits',
    },
    {
      title: 'an unknown type',
      text: segment('{ id: s, type: ‸static, content: hi }'),
      code: 'NOT_ALLOWED',
      says: ['`static`', 'static_text, state_value, tool_description'],
    },
    {
      title: 'a mistyped type',
      text: segment('{ id: s, type: ‸static_txt, content: hi }'),
      code: 'NOT_ALLOWED',
      says: 'did you mean `static_text`?',
    },
    { title: 'no type and no text', text: segment('‸{ id: s }'), code: 'MISSING_KEY', says: '`type` is missing in segment `s`' },
    {
      title: 'a static text without text',
      text: segment('‸{ id: s, type: static_text }'),
      code: 'MISSING_KEY',
      says: '`content` or `content_key`',
    },
    {
      title: 'both content and content_key',
      text: `${segment('{ id: s, type: static_text, content: ‸hi, content_key: t }')}text_definitions: { t: x }\n`,
      code: 'NOT_ALLOWED',
      says: 'keep one of them',
    },
    {
      title: 'a state value without path',
      text: segment('‸{ id: s, type: state_value }'),
      code: 'MISSING_KEY',
      says: '`source_state_path`',
    },
    {
      title: 'a path to nowhere',
      text: segment('{ id: s, type: state_value, source_state_path: ‸team.work_moduls }'),
      code: 'BAD_PATH',
      says: 'work_modules',
    },
    {
      title: 'a key of another type',
      text: segment('{ id: s, type: tool_description, ‸content: hi }'),
      code: 'UNKNOWN_KEY',
      says: 'a segment of type `tool_description`',
    },
    {
      title: 'an order that is text',
      text: segment('{ id: s, type: tool_description, order: ‸first }'),
      code: 'WRONG_TYPE',
      says: 'a number',
    },
    {
      title: 'one wrapper tag',
      text: segment('{ id: s, type: tool_description, wrapper_tags: ‸[a] }'),
      code: 'OUT_OF_RANGE',
      says: '2',
    },
    {
      title: 'an unknown ingestor',
      text: segment('{ id: s, type: state_value, source_state_path: team.work_modules, ingestor_id: ‸work_module }'),
      code: 'UNKNOWN_INGESTOR',
      says: ['did you mean `work_modules`?', 'markdown_formatter'],
    },
    {
      title: 'an unknown content key',
      text: `${segment('{ id: s, type: static_text, content_key: ‸rolle }')}text_definitions: { role: x }\n`,
      code: 'UNKNOWN_CONTENT_KEY',
      says: 'did you mean `role`?',
    },
    {
      title: 'two segments with one id',
      text: segment('{ id: s, type: tool_description }\n    - { id: ‸s, type: tool_contributed_context }'),
      code: 'DUPLICATE_ID',
      says: ['`s`', 'line 4'],
    },
    {
      title: 'a segment that takes the id of instructions',
      text: `${segment('‸{ id: instructions, type: tool_description }')}instructions: hi\n`,
      code: 'DUPLICATE_ID',
      says: 'rename the segment',
    },
    {
      title: 'segments that are a map',
      text: 'name: A\nsystem_prompt_construction:\n  system_prompt_segments: ‸{ a: b }\n',
      code: 'WRONG_TYPE',
      says: 'must be a list',
    },
    { title: 'a segment that is a text', text: segment('‸hello'), code: 'WRONG_TYPE', says: 'must be a map' },
    {
      title: 'segments in the wrong place',
      text: 'name: A\nsystem_prompt_construction:\n  ‸segments: []\n',
      code: 'UNKNOWN_KEY',
      says: 'system_prompt_segments',
    },
  ]);
});

describe('observers', () => {
  itReports([
    {
      title: 'no id',
      text: inList('pre_turn_observers', '  - ‸action: { type: call, observer: watch_budget }'),
      code: 'MISSING_KEY',
      says: '`id`',
    },
    {
      title: 'no action',
      text: inList('pre_turn_observers', '  - ‸id: o'),
      code: 'MISSING_KEY',
      says: '`action` is missing in observer `o`',
    },
    {
      title: 'an action without type',
      text: observer('‸{ observer: watch_budget }'),
      code: 'MISSING_KEY',
      says: '`type` is missing in the action of observer `o`',
    },
    {
      title: 'an unknown action (D1.7)',
      text: observer('{ type: ‸notify }'),
      code: 'NOT_ALLOWED',
      says: ['`notify`', 'add_to_inbox, update_state, call'],
    },
    { title: 'a decider action (D1.7)', text: observer('{ type: ‸end_agent_turn }'), code: 'NOT_ALLOWED', says: 'flow_decider' },
    {
      title: 'a mistyped action',
      text: observer('{ type: ‸add_to_inbx }'),
      code: 'NOT_ALLOWED',
      says: 'did you mean `add_to_inbox`?',
    },
    {
      title: 'an unknown observer type',
      text: inList('pre_turn_observers', '  - { id: o, type: ‸python, action: { type: call, observer: watch_budget } }'),
      code: 'NOT_ALLOWED',
      says: 'declarative',
    },
    {
      title: 'a mistyped key',
      text: inList('pre_turn_observers', '  - { id: o, ‸conditon: flags.x, action: { type: call, observer: watch_budget } }'),
      code: 'UNKNOWN_KEY',
      says: ['an observer', 'did you mean `condition`?'],
    },
    { title: 'no inbox item', text: observer('‸{ type: add_to_inbox }'), code: 'MISSING_KEY', says: '`inbox_item`' },
    {
      title: 'an inbox item without source',
      text: observer('{ type: add_to_inbox, inbox_item: ‸{ payload: x } }'),
      code: 'MISSING_KEY',
      says: '`source` is missing in the inbox_item of observer `o`',
    },
    {
      title: 'a source in lower case',
      text: observer('{ type: add_to_inbox, inbox_item: { source: ‸user_prompt } }'),
      code: 'NOT_ALLOWED',
      says: 'USER_PROMPT',
    },
    {
      title: 'an unknown consumption policy',
      text: observer('{ type: add_to_inbox, inbox_item: { source: X, consumption_policy: ‸keep } }'),
      code: 'NOT_ALLOWED',
      says: 'persistent_until_consumed',
    },
    {
      title: 'a target that is nearly right',
      text: observer('{ type: add_to_inbox, target_agent_id: ‸principle, inbox_item: { source: X } }'),
      code: 'UNKNOWN_TARGET',
      says: 'did you mean `principal`?',
    },
    {
      title: 'a target that is computed',
      text: observer("{ type: add_to_inbox, target_agent_id: ‸'{{ flags.who }}', inbox_item: { source: X } }"),
      code: 'UNKNOWN_TARGET',
      says: 'it is not computed',
    },
    {
      title: 'an unknown ingestor of an item',
      text: observer('{ type: add_to_inbox, inbox_item: { source: X, ingestor_id: ‸markdown } }'),
      code: 'UNKNOWN_INGESTOR',
      says: 'markdown_formatter',
    },
    {
      title: 'an unknown content key of an item',
      text: observer('{ type: add_to_inbox, inbox_item: { source: X, payload: { content_key: ‸t } } }'),
      code: 'UNKNOWN_CONTENT_KEY',
      says: 'known text definitions: none',
    },
    {
      title: 'a bad template in a payload',
      text: observer("{ type: add_to_inbox, inbox_item: { source: X, payload: { a: ['see {{ ‸flag.x }}'] } } }"),
      code: 'BAD_TEMPLATE',
      says: 'flags',
    },
    { title: 'no updates', text: observer('‸{ type: update_state }'), code: 'MISSING_KEY', says: '`updates`' },
    {
      title: 'an unknown operation',
      text: observer('{ type: update_state, updates: [{ operation: ‸add, path: flags.n }] }'),
      code: 'NOT_ALLOWED',
      says: 'set, increment, append, remove',
    },
    {
      title: 'an update without path',
      text: observer('{ type: update_state, updates: [‸{ operation: remove }] }'),
      code: 'MISSING_KEY',
      says: '`path`',
    },
    {
      title: 'a set without value',
      text: observer('{ type: update_state, updates: [‸{ operation: set, path: flags.n }] }'),
      code: 'MISSING_KEY',
      says: '`value`',
    },
    {
      title: 'a remove with value',
      text: observer('{ type: update_state, updates: [{ operation: remove, path: flags.n, ‸value: 1 }] }'),
      code: 'UNKNOWN_KEY',
      says: 'operation `remove`',
    },
    {
      title: 'a path with state. in front',
      text: observer('{ type: update_state, updates: [{ operation: increment, path: ‸state.flags.n }] }'),
      code: 'BAD_PATH',
      says: 'write flags.n',
    },
    {
      title: 'a bare name as path',
      text: observer('{ type: update_state, updates: [{ operation: increment, path: ‸count }] }'),
      code: 'BAD_PATH',
      says: 'write flags.count or values.count',
    },
    {
      title: 'a path into team state',
      text: observer('{ type: update_state, updates: [{ operation: increment, path: ‸team.work_modules }] }'),
      code: 'BAD_PATH',
      says: 'team.shared.x',
    },
    {
      title: 'a mistyped root',
      text: observer('{ type: update_state, updates: [{ operation: increment, path: ‸flag.n }] }'),
      code: 'BAD_PATH',
      says: 'did you mean `flags.n`?',
    },
    {
      title: 'a path into the prototype',
      text: observer('{ type: update_state, updates: [{ operation: increment, path: ‸flags.__proto__.x }] }'),
      code: 'BAD_PATH',
      says: 'cannot write',
    },
    {
      title: 'a tool choice that names no tool',
      text: observer('{ type: set_tool_choice, tool_choice: ‸finish_flw }'),
      code: 'UNKNOWN_TOOL',
      says: 'did you mean `finish_flow`?',
    },
    { title: 'a filter of nothing', text: observer('‸{ type: filter_tools }'), code: 'MISSING_KEY', says: '`only`' },
    {
      title: 'a filter with an unknown tool',
      text: observer('{ type: filter_tools, except: [finish_flow, ‸serch] }'),
      code: 'UNKNOWN_TOOL',
      says: '`serch`',
    },
    {
      title: 'a filter after the reply',
      text: inList('post_turn_observers', '  - id: o\n    action: { type: ‸filter_tools, only: [] }'),
      code: 'NOT_ALLOWED',
      says: 'too late',
    },
    { title: 'a call without observer', text: observer('‸{ type: call }'), code: 'MISSING_KEY', says: '`observer`' },
    {
      title: 'an unknown observer',
      text: observer('{ type: call, observer: ‸watch_buget }'),
      code: 'UNKNOWN_OBSERVER',
      says: 'did you mean `watch_budget`?',
    },
    {
      title: 'a key of another action',
      text: observer('{ type: call, observer: watch_budget, ‸updates: [] }'),
      code: 'UNKNOWN_KEY',
      says: 'action `call`',
    },
    {
      title: 'two observers with one id',
      text: inList(
        'post_turn_observers',
        '  - { id: o, action: { type: call, observer: watch_budget } }\n  - { id: ‸o, action: { type: call, observer: watch_budget } }',
      ),
      code: 'DUPLICATE_ID',
      says: 'post_turn_observers',
    },
    {
      title: 'something to remove that is not inherited',
      text: inList('post_turn_observers', '  - ‸{ id: o, remove: true }'),
      code: 'NOTHING_TO_REMOVE',
      says: '`o`',
    },
    {
      title: 'a place before nothing',
      text: inList('post_turn_observers', '  - { id: o, before: ‸p, action: { type: call, observer: watch_budget } }'),
      code: 'NOTHING_TO_STAND_BEFORE',
      says: '`p`',
    },
    {
      title: 'remove: false',
      text: inList('post_turn_observers', '  - { id: o, remove: ‸false, action: { type: call, observer: watch_budget } }'),
      code: 'NOT_ALLOWED',
      says: 'true',
    },
  ]);
});

describe('flow decider', () => {
  itReports([
    {
      title: 'no action',
      text: inList('flow_decider', '  - ‸id: r'),
      code: 'MISSING_KEY',
      says: '`action` is missing in rule `r`',
    },
    { title: 'an unknown action', text: rule('{ type: ‸stop }'), code: 'NOT_ALLOWED', says: 'end_agent_turn' },
    { title: 'an observer action', text: rule('{ type: ‸update_state }'), code: 'NOT_ALLOWED', says: 'post_turn_observers' },
    { title: 'a short name', text: rule('{ type: ‸end }'), code: 'NOT_ALLOWED', says: 'write end_agent_turn' },
    { title: 'an end without outcome', text: rule('‸{ type: end_agent_turn }'), code: 'MISSING_KEY', says: '`outcome`' },
    { title: 'a loop without payload', text: rule('‸{ type: loop_with_inbox_item }'), code: 'MISSING_KEY', says: '`payload`' },
    {
      title: 'a loop with an empty payload',
      text: rule('{ type: loop_with_inbox_item, payload: ‸{ text: x } }'),
      code: 'MISSING_KEY',
      says: '`content_key` or `content`',
    },
    {
      title: 'an unknown content key',
      text: rule('{ type: loop_with_inbox_item, payload: { content_key: ‸replan } }'),
      code: 'UNKNOWN_CONTENT_KEY',
      says: '`replan`',
    },
    { title: 'a wait for nothing', text: rule('‸{ type: await }'), code: 'MISSING_KEY', says: '`on`' },
    { title: 'a wait for a text', text: rule('{ type: await, on: ‸USER_PROMPT }'), code: 'WRONG_TYPE', says: 'a list' },
    { title: 'a call without tool', text: rule('‸{ type: call_tool }'), code: 'MISSING_KEY', says: '`tool`' },
    {
      title: 'a call of an unknown tool',
      text: rule('{ type: call_tool, tool: ‸finish_flw }'),
      code: 'UNKNOWN_TOOL',
      says: 'did you mean `finish_flow`?',
    },
    {
      title: 'a call with bad arguments',
      text: rule("{ type: call_tool, tool: search, args: { query: '{{ ‸sate.x }}' } }"),
      code: 'BAD_TEMPLATE',
      says: 'state',
    },
    {
      title: 'arguments that are a list',
      text: rule('{ type: call_tool, tool: search, args: ‸[a] }'),
      code: 'WRONG_TYPE',
      says: 'a map',
    },
    { title: 'a choice without tool_choice', text: rule('‸{ type: set_tool_choice }'), code: 'MISSING_KEY', says: '`tool_choice`' },
    {
      title: 'a choice of an unknown tool',
      text: rule('{ type: set_tool_choice, tool_choice: ‸any }'),
      code: 'UNKNOWN_TOOL',
      says: '`any`',
    },
    {
      title: 'a key of another action',
      text: rule('{ type: await_user_input, ‸outcome: success }'),
      code: 'UNKNOWN_KEY',
      says: 'action `await_user_input`',
    },
    {
      title: 'a bad error message',
      text: rule("{ type: end_agent_turn, outcome: error, error_message: 'after {{ ‸turns }}' }"),
      code: 'BAD_TEMPLATE',
      says: '`turns`',
    },
    {
      title: 'no rule that ends',
      text: 'name: A\nflow_decider: ‸[{ id: r, action: { type: loop_with_inbox_item, payload: { content: go on } } }]\n',
      code: 'NO_WAY_TO_END',
      says: 'no rule can end this loop',
      severity: 'warning',
    },
    {
      title: 'a rule behind one without condition',
      text: inList(
        'flow_decider',
        '  - { id: a, action: { type: await_user_input } }\n  - ‸{ id: b, action: { type: retry_turn } }',
      ),
      code: 'UNREACHABLE_RULE',
      says: ['`b` is never reached', '`a`'],
      severity: 'warning',
    },
  ]);
});

describe('[A2.1.update-memory] policies, gates, strategies and the rest', () => {
  itReports([
    {
      title: 'an unknown tool',
      text: 'name: A\ntool_access_policy: { allowed_individual_tools: [search, ‸serch] }\n',
      code: 'UNKNOWN_TOOL',
      says: ['did you mean `search`?', 'finish_flow'],
    },
    {
      title: 'an unknown toolset',
      text: 'name: A\ntool_access_policy: { allowed_toolsets: [‸plannin] }\n',
      code: 'UNKNOWN_TOOLSET',
      says: 'did you mean `planning`?',
    },
    {
      title: 'a toolset among the tools',
      text: 'name: A\ntool_access_policy: { allowed_individual_tools: [‸planning] }\n',
      code: 'UNKNOWN_TOOL',
      says: 'is a toolset',
    },
    {
      title: 'a tool among the toolsets',
      text: 'name: A\ntool_access_policy: { allowed_toolsets: [‸search] }\n',
      code: 'UNKNOWN_TOOLSET',
      says: 'is a tool',
    },
    { title: 'a tool choice that is no tool', text: 'name: A\ntool_choice: ‸always\n', code: 'UNKNOWN_TOOL', says: '`always`' },
    {
      title: 'a gate without verdict',
      text: inList('tool_gates', '  - ‸{ id: g, tools: [search] }'),
      code: 'MISSING_KEY',
      says: '`verdict`',
    },
    { title: 'an unknown verdict', text: gate('verdict: ‸maybe'), code: 'NOT_ALLOWED', says: 'allow, deny, ask' },
    { title: 'a gate for an unknown tool', text: gate('tools: [‸shell], verdict: ask'), code: 'UNKNOWN_TOOL', says: '`shell`' },
    {
      title: 'a gate for an unknown toolset',
      text: gate('toolsets: [‸shell], verdict: ask'),
      code: 'UNKNOWN_TOOLSET',
      says: '`shell`',
    },
    {
      title: 'a gate with a bad message',
      text: gate('verdict: ask, message: "May {{ ‸arg.row }} be deleted?"'),
      code: 'BAD_TEMPLATE',
      says: 'arg',
    },
    {
      title: 'a gate with a bad condition',
      text: gate('verdict: deny, condition: ‸arg.path == 1'),
      code: 'BAD_EXPRESSION',
      says: 'args',
    },
    {
      title: 'a strategy without source',
      text: inList('inbox_handling_strategies', '  - ‸ingestor: markdown_formatter'),
      code: 'MISSING_KEY',
      says: '`source`',
    },
    {
      title: 'a strategy with an unknown ingestor',
      text: inList('inbox_handling_strategies', '  - { source: X, ingestor: ‸markdwon_formatter }'),
      code: 'UNKNOWN_INGESTOR',
      says: 'did you mean `markdown_formatter`?',
    },
    {
      title: 'an unknown injection mode',
      text: inList('inbox_handling_strategies', '  - { source: X, injection_mode: ‸prepend }'),
      code: 'NOT_ALLOWED',
      says: 'prepend_to_role',
    },
    {
      title: 'a system role',
      text: inList('inbox_handling_strategies', '  - { source: X, params: { role: ‸system } }'),
      code: 'NOT_ALLOWED',
      says: 'use user',
    },
    {
      title: 'two strategies for one source',
      text: inList('inbox_handling_strategies', '  - { source: X }\n  - { source: ‸X }'),
      code: 'DUPLICATE_ID',
      says: 'the source `X` stands twice',
    },
    {
      title: 'persistence that is a word',
      text: inList('inbox_handling_strategies', '  - { source: X, params: { is_persistent_in_memory: ‸maybe } }'),
      code: 'WRONG_TYPE',
      says: 'true or false',
    },
    { title: 'an unknown function', text: 'name: A\nfunction_node: ‸sum\n', code: 'UNKNOWN_FUNCTION', says: 'sum_up' },
    {
      title: 'an exposed profile without name',
      text: 'name: A\nexposable_as_tool: ‸{ description: x }\n',
      code: 'MISSING_KEY',
      says: '`name` is missing in exposable_as_tool',
    },
    {
      title: 'an exposed profile without description',
      text: 'name: A\nexposable_as_tool: ‸{ name: ask_a }\n',
      code: 'MISSING_KEY',
      says: '`description`',
    },
    {
      title: 'an exposed profile under a taken name',
      text: 'name: A\nexposable_as_tool: { name: ‸search, description: x }\n',
      code: 'DUPLICATE_NAME',
      says: 'exists already',
    },
    {
      title: 'an exposed profile with an unknown protocol',
      text: 'name: A\nexposable_as_tool: { name: ask_a, description: x, protocol: ‸brief }\n',
      code: 'UNKNOWN_PROTOCOL',
      says: '`brief`',
    },
    {
      title: 'an exposed profile with a name no provider takes',
      text: 'name: A\nexposable_as_tool: { name: ‸ask a, description: x }\n',
      code: 'NOT_ALLOWED',
      says: 'letters, digits',
    },
    {
      title: 'an exposed profile with a result there is not',
      text: 'name: A\nexposable_as_tool: { name: ask_a, description: x, result: ‸everything }\n',
      code: 'NOT_ALLOWED',
      says: 'deliverables.NAME',
    },
    {
      title: 'an exposed profile with a parameter of the engine',
      text: 'name: A\nexposable_as_tool: { name: ask_a, description: x, parameters: { type: object, properties: { agent_id: ‸{ type: string } } } }\n',
      code: 'NOT_ALLOWED',
      says: 'resumable: false',
    },
    {
      title: 'a depth of nothing',
      text: 'name: A\nexposable_as_tool: { name: ask_a, description: x, max_depth: ‸0 }\n',
      code: 'OUT_OF_RANGE',
      says: '1',
    },
    {
      title: 'a callable profile that is not there',
      text: 'name: A\ncallable_profiles: [‸AA]\n',
      code: 'UNKNOWN_PROFILE',
      says: 'did you mean `A`',
    },
    {
      title: 'an exposed profile with bad parameters',
      text: 'name: A\nexposable_as_tool: { name: ask_a, description: x, parameters: { type: ‸array } }\n',
      code: 'BAD_SCHEMA',
      says: 'type: object',
    },
    {
      title: 'a deliverables schema of another type',
      text: 'name: A\ndeliverables_schema: { type: ‸string }\n',
      code: 'BAD_SCHEMA',
      says: 'must describe an object',
    },
    {
      title: 'a deliverables schema that is none',
      text: 'name: A\ndeliverables_schema: { type: object, properties: { a: { type: ‸text } } }\n',
      code: 'BAD_SCHEMA',
      says: 'properties.a.type',
    },
    {
      title: 'a deliverables schema with a dead reference',
      text: "name: A\ndeliverables_schema: ‸{ type: object, properties: { a: { $ref: '#/$defs/gone' } } }\n",
      code: 'BAD_SCHEMA',
      says: '#/$defs/gone',
    },
    {
      title: 'an unknown LLM config',
      text: 'name: A\nllm_config_ref: ‸defult\n',
      code: 'UNKNOWN_LLM_CONFIG',
      says: 'did you mean `default`?',
    },
  ]);
});
