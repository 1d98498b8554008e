import { scriptedModel, type ScriptedReply, type ScriptedRequest } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { call, promptOf, type Model } from './scenario.ts';

const waits = `
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`;

/** Talks with the user, plans, launches the Principal, and waits. */
export const partner = `
name: Partner
type: partner
llm_config_ref: partner
instructions: You are the partner.
tool_access_policy: { allowed_toolsets: [planning_tools, launch_tools, monitoring_tools, intervention_tools] }
${waits}`;

/** Plans, dispatches and finishes. */
export const principal = `
name: Principal
type: principal
llm_config_ref: principal
instructions: You are the principal.
tool_access_policy: { allowed_toolsets: [planning_tools, dispatch_tools, reporting_tools, flow_control_end] }
`;

/** Does one module. */
export const worker = `
name: Worker
type: associate
llm_config_ref: worker
instructions: "You work on {{ meta.module_id }} as {{ meta.role_name }}."
available_for_staffing: true
description_for_human: Works.
tool_access_policy: { allowed_toolsets: [flow_control_end, flow_control_summary] }
`;

/** A call that creates modules of these names. */
export function plan(...names: readonly string[]): ScriptedReply {
  return call('manage_work_modules', { actions: names.map((name) => ({ action: 'create', name, description: `About ${name}.` })) });
}

/** A call that moves modules to a status. */
export function move(status: string, ...ids: readonly string[]): ScriptedReply {
  return call('manage_work_modules', {
    actions: ids.map((id) => ({ action: 'status_change', module_id: id, new_status: status })),
  });
}

/** One assignment of a dispatch. */
export function assignment(id: string, instructions = 'Do it.', more: JsonObject = {}): JsonObject {
  return {
    module_id_to_assign: id,
    agent_profile_logical_name: 'Worker',
    assigned_role_name: `Worker of ${id}`,
    assignment_specific_instructions: instructions,
    ...more,
  };
}

/** A call that dispatches these assignments. */
export function dispatch(...assignments: readonly JsonObject[]): ScriptedReply {
  return call('dispatch_submodules', { assignments });
}

/** A call that ends the agent's work. */
export function finish(summary = 'Done.', deliverables?: JsonObject): ScriptedReply {
  return call('finish_flow', { summary, ...(deliverables === undefined ? {} : { deliverables }) });
}

/** A call that launches the Principal on a query. */
export function launch(query = 'Which tea?', more: JsonObject = {}): ScriptedReply {
  return call('launch_principal', {
    iteration_mode: 'start_fresh',
    initial_briefing_for_principal: { user_query: query, notes_from_partner: 'Be quick.' },
    ...more,
  });
}

/** A model for all workers at once: what it says depends on the instructions in its prompt, not on who asks first. */
export function workers(
  replies: Readonly<Record<string, ScriptedReply | ((request: ScriptedRequest) => ScriptedReply | Promise<ScriptedReply>)>> = {},
): Model {
  return scriptedModel((request) => {
    const prompt = promptOf(request);
    const key = Object.keys(replies).find((word) => prompt.includes(word));
    const reply = key === undefined ? undefined : replies[key];
    if (reply === undefined) return finish('Worked.', { primary_summary: 'Worked.' });
    return typeof reply === 'function' ? reply(request) : reply;
  });
}

/** A reply that the provider refuses for good. */
export const refused: ScriptedReply = { error: { status: 400, message: 'not today' } };
