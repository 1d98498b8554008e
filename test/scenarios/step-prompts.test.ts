import { expect, it } from 'vitest';
import { call, play, promptOf, speaks } from './scenario.ts';

/** An agent that is told something else in its first step, in those that follow, and in its last. */
const stepper = `
name: Stepper
type: associate
llm_config_ref: m
instructions: You work step by step.
tool_choice: required
tool_access_policy: { allowed_toolsets: [flow_control_summary] }
text_definitions:
  first: Begin with a look.
  next: "Step {{ counters.turn_count + 1 }}: go on with your own work."
  final: Say now what you found.
pre_turn_observers:
  - { id: first, condition: counters.turn_count == 0, action: { type: add_to_inbox, inbox_item: { source: STEP_PROMPT, payload: { content_key: first } } } }
  - { id: next, condition: counters.turn_count == 1, action: { type: add_to_inbox, inbox_item: { source: STEP_PROMPT, payload: { content_key: next } } } }
  - { id: final, condition: counters.turn_count == 2, action: { type: add_to_inbox, inbox_item: { source: STEP_PROMPT, payload: { content_key: final } } } }
inbox_handling_strategies:
  - { source: STEP_PROMPT, ingestor: templated_content, params: { is_persistent_in_memory: false } }
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: done, condition: state.turn_count >= 3, action: { type: end_agent_turn, outcome: success } }
  - { id: must_call, action: { type: end_agent_turn, outcome: error, error_message: A tool had to be called. } }
`;

const look = (what: string) => call('generate_message_summary', { current_associate_findings: what });

it('[A2.1.think] [A3.prompt-choice] [B.38] a prompt for this step only: the first, the next, the last; nothing of it stays', async () => {
  const model = speaks(look('one'), look('two'), 'Found.');
  const run = await play({ yaml: [stepper], models: { m: model } });
  const prompts = model.requests.map(promptOf);
  const told = ['Begin with a look.', 'Step 2: go on with your own work.', 'Say now what you found.'];
  expect(prompts.map((prompt) => told.filter((words) => prompt.includes(words)))).toEqual(told.map((words) => [words]));
  expect(run.state.outcome).toBe('success');
});

it('[A2.1.think] where a call is required, the model is told so, and words instead of one are an error', async () => {
  const model = speaks('I would rather talk.');
  const run = await play({ yaml: [stepper], models: { m: model } });
  expect(model.requests[0]?.toolChoice).toEqual({ type: 'required' });
  expect(run.state).toMatchObject({ outcome: 'error', error: { message: 'A tool had to be called.' } });
});
