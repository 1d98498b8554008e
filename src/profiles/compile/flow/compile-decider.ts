import { type CompiledRule, type DeciderAction, handlesErrors } from '../../../core/profile/profile.ts';
import { quote } from '../../wording.ts';
import { childOf, type MapNode } from '../../yaml/source-node.ts';
import { checkTool, refOf, type CompileContext } from '../compile-context.ts';
import { compileItem, type TextKeys } from './compile-item.ts';
import { compileCondition, compileText, constantExpression, constantTemplate } from '../compile-text.ts';
import { compileValue, constantValue } from '../compile-value.ts';
import { listNode, mapItems, readText, textItems, textNode } from '../read-node.ts';
import { requireKey } from '../checks/require-key.ts';
import type { SourceRef } from '../../../core/profile/source-ref.ts';

const toolChoices = new Set(['auto', 'none', 'required']);
const canEnd = new Set<DeciderAction['type']>(['end_agent_turn', 'await', 'await_user_input', 'call_tool', 'continue_with_tool']);

/** Compiles the flow decider; a profile without rules gets the default one. */
export function compileDecider(context: CompileContext, profile: MapNode, keys: TextKeys): readonly CompiledRule[] {
  const list = listNode(profile, 'flow_decider');
  if (list === undefined || list.items.length === 0) return defaultDecider(refOf(profile));
  const rules: CompiledRule[] = [];
  let always: CompiledRule | undefined;
  let isComplete = true;
  for (const node of mapItems(profile, 'flow_decider')) {
    const id = readText(node, 'id') ?? '';
    const condition = compileCondition(context.report, node);
    const action = compileAction(context, node, { owner: `rule ${quote(id)}`, keys });
    if (action === undefined) isComplete = false;
    // Rules for failed model calls apply even after a rule that always matches replies.
    if (always !== undefined && !handlesErrors({ ...(condition === undefined ? {} : { condition }) })) {
      context.report.warning('UNREACHABLE_RULE', {
        at: node.at,
        message: `rule ${quote(id)} is never reached: rule ${quote(always.id)} before it has no condition`,
        hint: 'put the rule without a condition last',
      });
    }
    if (action === undefined) continue;
    const rule: CompiledRule = { id, ...(condition === undefined ? {} : { condition }), action, source: refOf(node) };
    rules.push(rule);
    const written = childOf(node, 'condition');
    const isAlways = written === undefined || (written.kind === 'scalar' && (written.value === true || written.value === 'true'));
    if (isAlways) always ??= rule;
  }
  const reached = always === undefined ? rules : rules.slice(0, rules.indexOf(always) + 1);
  if (isComplete && !reached.some((rule) => canEnd.has(rule.action.type))) {
    const message = 'no rule can end this loop: none ends the turn, waits, or calls a tool';
    context.report.warning('NO_WAY_TO_END', {
      at: list.at,
      message,
      hint: 'add a rule with end_agent_turn, await_user_input, await or call_tool',
    });
  }
  return rules.length === 0 ? defaultDecider(refOf(profile)) : rules;
}

function compileAction(
  context: CompileContext,
  rule: MapNode,
  { owner, keys }: { readonly owner: string; readonly keys: TextKeys },
): DeciderAction | undefined {
  const action = requireKey(context, rule, { key: 'action', owner });
  if (action?.kind !== 'map') return undefined;
  requireKey(context, action, { key: 'type', owner: `the action of ${owner}` });
  switch (readText(action, 'type') ?? '') {
    case 'continue_with_tool':
      return { type: 'continue_with_tool' };
    case 'await_user_input':
      return { type: 'await_user_input' };
    case 'retry_turn':
      return { type: 'retry_turn' };
    case 'loop_with_inbox_item':
      return compileLoop(context, action, { owner, keys });
    case 'end_agent_turn':
      return compileEnd(context, action, owner);
    case 'await':
      requireKey(context, action, { key: 'on', owner: `the action of ${owner}` });
      return { type: 'await', on: textItems(action, 'on').map((item) => item.value) };
    case 'call_tool':
      return compileCall(context, action, owner);
    case 'set_tool_choice':
      return compileChoice(context, action, owner);
    default:
      return undefined;
  }
}

function compileLoop(
  context: CompileContext,
  action: MapNode,
  { owner, keys }: { readonly owner: string; readonly keys: TextKeys },
): DeciderAction {
  const payload = requireKey(context, action, { key: 'payload', owner: `the action of ${owner}` });
  if (
    payload?.kind === 'map' &&
    !payload.entries.has('content') &&
    !payload.entries.has('content_key') &&
    !action.entries.has('ingestor_id')
  ) {
    context.report.error('MISSING_KEY', {
      at: payload.at,
      message: `the payload of ${owner} needs \`content_key\` or \`content\``,
      hint: 'content_key names a text definition; content is the text itself',
    });
  }
  return {
    type: 'loop_with_inbox_item',
    item: compileItem(context, action, { source: readText(action, 'source') ?? 'SELF_REFLECTION_PROMPT', keys }),
  };
}

function compileEnd(context: CompileContext, action: MapNode, owner: string): DeciderAction {
  const outcome = requireKey(context, action, { key: 'outcome', owner: `the action of ${owner}` });
  const error = textNode(action, 'error_message');
  const output = textNode(action, 'output');
  const errorMessage = error === undefined ? undefined : compileText(context, error);
  const outputText = output === undefined ? undefined : compileText(context, output);
  return {
    type: 'end_agent_turn',
    outcome: outcome?.kind === 'scalar' && typeof outcome.value === 'string' ? outcome.value : 'success',
    ...(errorMessage === undefined ? {} : { errorMessage }),
    ...(outputText === undefined ? {} : { output: outputText }),
  };
}

function compileCall(context: CompileContext, action: MapNode, owner: string): DeciderAction {
  requireKey(context, action, { key: 'tool', owner: `the action of ${owner}` });
  const tool = textNode(action, 'tool');
  if (tool !== undefined) checkTool(context, tool);
  const args = childOf(action, 'args');
  return {
    type: 'call_tool',
    tool: tool?.value ?? '',
    args: args === undefined ? constantValue({}) : compileValue(context, args),
  };
}

function compileChoice(context: CompileContext, action: MapNode, owner: string): DeciderAction {
  requireKey(context, action, { key: 'tool_choice', owner: `the action of ${owner}` });
  const choice = textNode(action, 'tool_choice');
  if (choice !== undefined) checkToolChoice(context, choice);
  return { type: 'set_tool_choice', toolChoice: choice?.value ?? 'auto' };
}

/** Checks a tool choice: `auto`, `none`, `required`, or an existing tool. */
export function checkToolChoice(context: CompileContext, choice: Parameters<typeof checkTool>[1]): void {
  if (!toolChoices.has(choice.value)) checkTool(context, choice);
}

const nudge =
  'Your last reply was empty. Answer in words, or call one of your tools. If there is nothing left to do, say so and state your result.';

const shorter = 'Your last reply was cut off at its length limit. Give your whole answer again, and make it shorter.';

// Pure cache: compiled from texts of this file.
let rules: readonly Omit<CompiledRule, 'source'>[] | undefined;

/**
 * Returns the decider of profiles without rules: runs the called tools; ends with an error after three empty replies in a row;
 * asks again after an empty reply, and once after a reply cut off by its length limit; otherwise returns the reply as the result.
 */
function defaultDecider(source: SourceRef): readonly CompiledRule[] {
  rules ??= [
    {
      id: 'default_continue_with_tool',
      condition: constantExpression('state.current_action != null'),
      action: { type: 'continue_with_tool' },
    },
    {
      id: 'default_end_after_empty_replies',
      condition: constantExpression('counters.empty_reply_streak >= 3'),
      action: {
        type: 'end_agent_turn',
        outcome: 'error',
        errorMessage: constantTemplate('The model gave an empty reply three times in a row.'),
      },
    },
    {
      id: 'default_ask_again',
      condition: constantExpression('counters.empty_reply_streak > 0'),
      action: {
        type: 'loop_with_inbox_item',
        item: { source: 'SELF_REFLECTION_PROMPT', payload: constantValue({ content: nudge }), consumption: 'consume_on_read' },
      },
    },
    {
      id: 'default_end_after_cut_replies',
      condition: constantExpression('turn.finish_reason == "length" && counters.no_tool_call_streak >= 2'),
      action: {
        type: 'end_agent_turn',
        outcome: 'error',
        errorMessage: constantTemplate(
          'The answer was cut off at its length limit twice. Raise max_output_tokens in the LLM config.',
        ),
      },
    },
    {
      id: 'default_ask_for_less',
      condition: constantExpression('turn.finish_reason == "length"'),
      action: {
        type: 'loop_with_inbox_item',
        item: { source: 'SELF_REFLECTION_PROMPT', payload: constantValue({ content: shorter }), consumption: 'consume_on_read' },
      },
    },
    { id: 'default_end', action: { type: 'end_agent_turn', outcome: 'success' } },
  ];
  return rules.map((rule) => ({ ...rule, source }));
}
