import type { CompiledRule } from '../../../core/profile/profile.ts';
import type { SourceRef } from '../../../core/profile/source-ref.ts';
import { constantExpression, constantTemplate } from '../compile-text.ts';
import { constantValue } from '../compile-value.ts';

const nudge =
  'Your last reply was empty. Answer in words, or call one of your tools. If there is nothing left to do, say so and state your result.';

const shorter = 'Your last reply was cut off at its length limit. Give your whole answer again, and make it shorter.';

// Pure cache: compiled from texts of this file.
let rules: readonly Omit<CompiledRule, 'source'>[] | undefined;

/**
 * Returns the decider of profiles without rules: runs the called tools; ends with an error after three empty replies in a row;
 * asks again after an empty reply, and once after a reply cut off by its length limit; otherwise returns the reply as the result.
 */
export function defaultDecider(source: SourceRef): readonly CompiledRule[] {
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
