import { type JsonObject, isJsonObject } from '../../core/json.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { findPrincipal } from './find-principal.ts';
import { teamTool } from '../team-tool.ts';
import { dataOutcome, refusal } from '../tool-outcome.ts';

const parameters: JsonObject = {
  type: 'object',
  required: ['directive_type', 'payload'],
  properties: {
    directive_type: {
      type: 'string',
      enum: ['ADD_CONTEXT', 'USER_QUERY_FOR_PRINCIPAL', 'MODIFY_SUB_TASK'],
      description:
        'ADD_CONTEXT adds something to know, USER_QUERY_FOR_PRINCIPAL passes on a question, MODIFY_SUB_TASK changes one work module.',
    },
    payload: {
      type: 'object',
      required: ['user_facing_message_for_principal'],
      properties: {
        user_facing_message_for_principal: { type: 'string', minLength: 1, description: 'What the principal is to do or know.' },
        target_task_id: { type: 'string', description: 'The work module meant; needed for MODIFY_SUB_TASK.' },
        internal_notes_for_principal_llm: {
          type: 'string',
          description: 'Background for the principal that the user need not see.',
        },
      },
    },
  },
};

/** Creates the tool that sends a directive to a running principal, which reads it at its next turn. */
export function sendDirective(): TransitionTool {
  return teamTool({
    name: 'send_directive',
    description: 'Sends a directive to the running principal, which reads it at its next turn.',
    toolset: 'intervention_tools',
    effect: 'idempotent',
    parameters,
    run: send,
  });
}

function send(args: JsonObject, context: TransitionContext): TransitionOutcome {
  const principal = findPrincipal(context.run, context.agent);
  if (principal === undefined)
    return refusal('No principal has been launched, so no agent can read a directive; launch one with launch_principal.');
  const { agentId } = principal.meta;
  if (principal.status === 'ended') {
    return refusal(
      `The principal ${agentId} has ended (${principal.result.outcome}) and reads no directives; use launch_principal with iteration_mode continue_from_previous.`,
    );
  }
  const payload = isJsonObject(args['payload']) ? args['payload'] : {};
  const target = payload['target_task_id'];
  const problem = targetProblem(args['directive_type'] === 'MODIFY_SUB_TASK', target, context);
  if (problem !== undefined) return refusal(`The directive was not sent: ${problem}`);
  const notes = payload['internal_notes_for_principal_llm'];
  const given = context.shownArgs['payload'] ?? null;
  const shown = isJsonObject(given) ? given : { user_facing_message_for_principal: given };
  const directive: JsonObject = {
    directive_type: args['directive_type'],
    content: shown['user_facing_message_for_principal'],
    ...(target === undefined ? {} : { target_task_id: target }),
    ...(notes === undefined ? {} : { internal_notes: shown['internal_notes_for_principal_llm'] }),
  };
  const item = context.item(agentId, 'PARTNER_DIRECTIVE', directive, { taint: context.argsTaint ?? [] });
  return dataOutcome({ status: 'sent', agent_id: agentId }, [item]);
}

function targetProblem(needed: boolean, target: unknown, { run }: TransitionContext): string | undefined {
  const modules = run.team.workModules;
  const choices = `work modules: ${Object.keys(modules).join(', ') || 'none'}`;
  if (target === undefined) return needed ? `MODIFY_SUB_TASK needs target_task_id; ${choices}` : undefined;
  return typeof target === 'string' && Object.hasOwn(modules, target)
    ? undefined
    : `there is no work module ${JSON.stringify(target)}; ${choices}`;
}
