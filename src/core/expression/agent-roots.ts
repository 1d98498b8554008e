import type { ExpressionRoots, RootDeclaration } from './roots.ts';

const open: RootDeclaration = { kind: 'open' };

function closed(names: string): RootDeclaration {
  return {
    kind: 'closed',
    fields: Object.fromEntries(
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, open]),
    ),
  };
}

/** Roots for an agent's conditions and texts; a name that a closed root does not list is a load-time problem. */
export const agentRoots: ExpressionRoots = {
  state: closed(`
    messages inbox flags deliverables current_action initial_params initial_parameters counters status turn_count iteration
    last_turn_id current_turn_id last_reply context_tokens archived_messages dead_letters profiles_list_instance_ids allowed_toolsets values
    agent_start_utc_timestamp
  `),
  meta: closed('agent_id parent_agent_id profile type role role_name module_id depth run_id started_at'),
  team: closed('work_modules shared counters dispatch_history profiles is_principal_flow_running question agents'),
  run: closed('run_id run_type title status created_at now input usage tokens_left cost_left limits iteration'),
  counters: closed(`
    turn_count no_tool_call_streak same_action_same_result_streak duplicate_reply_streak tool_error_streak empty_reply_streak
    model_error_streak tool_call_count tokens_used tokens_with_children cost_with_children elapsed_ms
  `),
  config: open,
  initial_params: open,
  flags: open,
  inbox: open,
  turn: closed('reply finish_reason tool_calls tools error'),
  principal: open,
  partner: open,
  parent: open,
  request: open,
};
