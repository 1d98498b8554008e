/** Deciders in YAML: none, waiting, looping and repeating, forcing calls, going on after failed model calls. */
export const deciders = [
  '',
  'flow_decider: [{ id: tools, condition: state.current_action, action: { type: continue_with_tool } }, { id: wait, action: { type: await_user_input } }]',
  'flow_decider: [{ id: tools, condition: counters.turn_count % 3 != 0 && state.current_action != null, action: { type: continue_with_tool } }, { id: wait, condition: counters.turn_count % 2 == 0, action: { type: await, on: [NEWS, USER_PROMPT] } }, { id: again, condition: counters.turn_count % 5 == 0, action: { type: retry_turn } }, { id: loop, action: { type: loop_with_inbox_item, payload: { content: "go on {{ counters.turn_count }}" } } }]',
  'flow_decider: [{ id: forced, condition: counters.turn_count % 3 == 1, action: { type: call_tool, tool: serial, args: { n: 1 } } }, { id: choice, condition: counters.turn_count % 3 == 2, action: { type: set_tool_choice, tool_choice: required } }, { id: wait, action: { type: await_user_input } }]',
  'flow_decider: [{ id: again, condition: turn.error && counters.model_error_streak == 1, action: { type: retry_turn } }, { id: look, condition: turn.error && counters.model_error_streak == 2, action: { type: call_tool, tool: serial, args: { n: 1 } } }, { id: tell, condition: turn.error && counters.model_error_streak == 3, action: { type: loop_with_inbox_item, payload: { content: "failed: {{ turn.error }}" } } }, { id: ask, condition: turn.error, action: { type: await_user_input } }, { id: tools, condition: state.current_action, action: { type: continue_with_tool } }, { id: wait, action: { type: await_user_input } }]',
] as const;

/** Observers in YAML: that post, fail, stay, report up and count. */
export const observers = `
pre_turn_observers:
  - { id: note, condition: counters.turn_count % 2 == 0, action: { type: add_to_inbox, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content: "observed {{ counters.turn_count }}" } } } }
  - { id: first, condition: counters.turn_count % 4 == 1, action: { type: add_to_inbox, inbox_item: { source: NEWS, priority: -10, payload: first of all } } }
  - { id: fails, condition: 1 / (counters.turn_count % 3) > 0, action: { type: update_state, updates: [{ operation: increment, path: flags.n }] } }
  - { id: stays, condition: counters.turn_count == 1, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: standing, consumption_policy: persistent_until_consumed, max_turns: 2 } } }
post_turn_observers:
  - { id: up, condition: meta.depth > 0, action: { type: add_to_inbox, target_agent_id: parent, inbox_item: { source: NEWS, payload: "from {{ meta.agent_id }}" } } }
  - { id: count, action: { type: update_state, updates: [{ operation: append, path: team.shared.log, value: "{{ meta.agent_id }}" }, { operation: set, path: flags.last, value: "{{ turn.reply }}" }] } }
  - { id: failed, condition: turn.error, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: "failed: {{ turn.error }}" } } }
`;
