import { describe, expect, it } from 'vitest';
import { defineObserver, loadProfiles } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { agentOf, call, messagesOf, openEngine, play, promptOf, speaks } from './scenario.ts';
import { assignment, dispatch, finish, plan, principal, worker, workers } from './team.ts';

/** A profile of one agent with these further keys. */
const agent = (more: string): string => `
name: A
type: associate
llm_config_ref: m
instructions: You work.
${more}`;

const twoTurns = `
flow_decider:
  - { id: end, condition: state.turn_count >= 2, action: { type: end_agent_turn, outcome: success } }
  - { id: again, action: { type: retry_turn } }
`;

/** What a profile that does not load is told. */
async function problemOf(more: string): Promise<string> {
  const text = agent(more);
  const files = [{ path: 'profiles/a.yaml', text }];
  return await loadProfiles({ files }, { known: { models: new Set(['m']) } }).then(
    () => 'it loads',
    (error: Error) => error.message,
  );
}

describe('[B.16] A1.2 observers', () => {
  it('[A1.2.observer-shape] id, condition and action; without a condition it always runs; the record says what each came to', async () => {
    const run = await play({
      yaml: [
        agent(`
pre_turn_observers:
  - { id: always, type: declarative, action: { type: update_state, updates: [{ operation: increment, path: flags.n }] } }
  - { id: never, condition: flags.n > 5, action: { type: update_state, updates: [{ operation: set, path: flags.x, value: 1 }] } }
post_turn_observers:
  - { id: after, condition: turn.reply != '', action: { type: update_state, updates: [{ operation: set, path: flags.after, value: true }] } }
${twoTurns}`),
      ],
      models: { m: speaks('1', '2') },
    });
    expect(run.turns()[0]?.observers).toMatchObject([
      { id: 'always', phase: 'pre', fired: true, action: 'update_state' },
      { id: 'never', phase: 'pre', fired: false, value: false, condition: 'flags.n > 5' },
      { id: 'after', phase: 'post', fired: true, value: true },
    ]);
    expect(agentOf(run, 'A').flags).toEqual({ n: 2, after: true });
  });

  it('[A1.2.add-to-inbox] a payload that is exactly one expression keeps its type; the item names its observer', async () => {
    const run = await play({
      yaml: [
        agent(`
pre_turn_observers:
  - { id: object, action: { type: add_to_inbox, inbox_item: { source: TOOL_INPUTS_BRIEFING, payload: "{{ run.input }}" } } }
  - { id: missing, action: { type: add_to_inbox, inbox_item: { source: ORIGINAL_QUESTION, payload: "{{ v['flags.none'] }}" } } }
  - { id: text, action: { type: add_to_inbox, inbox_item: { source: ORIGINAL_QUESTION, payload: "Asked: {{ run.input.prompt }}" } } }
`),
      ],
      models: { m: speaks('ok') },
      input: 'Why?',
    });
    const byObserver = new Map(run.turns()[0]?.inputs.map((input) => [input.observerId, input]));
    expect(byObserver.get('object')?.payload).toEqual({ prompt: 'Why?' });
    expect(byObserver.get('missing')?.payload).toBeNull();
    expect(byObserver.get('text')?.payload).toBe('Asked: Why?');
  });

  it('[D1.5] an item’s own ingestor, its parameters and its target are honoured', async () => {
    const profile = agent(`
pre_turn_observers:
  - id: titled
    condition: state.turn_count == 0
    action:
      type: add_to_inbox
      target_agent_id: A_1
      inbox_item: { source: ORIGINAL_QUESTION, payload: { city: Bern }, ingestor_id: markdown_formatter, ingestor_params: { title: "### Where" } }
  - id: nobody
    action: { type: add_to_inbox, target_agent_id: parent, inbox_item: { source: ORIGINAL_QUESTION, payload: x } }
`);
    const model = speaks('ok');
    const run = await play({ yaml: [profile], models: { m: model } });
    expect(promptOf(model.requests[0])).toContain('### Where\n*   **City**: Bern');
    expect(run.turns()[0]?.inputs[1]).toMatchObject({
      source: 'ORIGINAL_QUESTION',
      strategy: 'item',
      ingestor: 'markdown_formatter',
    });
    expect(run.turns()[0]?.observers[1]).toMatchObject({ id: 'nobody', error: { code: 'AGENT_UNKNOWN' } });
  });

  it('[D1.5] an observer reaches the principal and the partner from below, and the item names its sender', async () => {
    const telling = worker.replace(
      'available_for_staffing',
      `post_turn_observers:
  - { id: up, action: { type: add_to_inbox, target_agent_id: principal, inbox_item: { source: ORIGINAL_QUESTION, payload: "Busy with {{ meta.module_id }}" } } }
available_for_staffing`,
    );
    const boss = speaks(plan('one'), dispatch(assignment('WM_1')), finish());
    const run = await play({ yaml: [principal, telling], models: { principal: boss, worker: workers() } });
    expect(promptOf(boss.requests[2])).toContain('Busy with WM_1');
    expect(run.turns().at(-1)?.inputs).toMatchObject([
      { source: 'TOOL_RESULT' },
      { source: 'ORIGINAL_QUESTION', observerId: 'up', from: 'Worker_2' },
    ]);
  });

  it('[A1.2.update-state] set, increment, append and remove, in flags, values, deliverables and team.shared', async () => {
    const run = await play({
      yaml: [
        agent(`
pre_turn_observers:
  - id: change
    action:
      type: update_state
      updates:
        - { operation: set, path: flags.seen, value: "{{ run.input.prompt }}" }
        - { operation: increment, path: flags.count }
        - { operation: increment, path: flags.count, value: 4 }
        - { operation: append, path: values.list, value: a }
        - { operation: append, path: values.list, value: b }
        - { operation: set, path: deliverables.answer, value: 42 }
        - { operation: set, path: team.shared.mood, value: good }
        - { operation: set, path: flags.gone, value: 1 }
        - { operation: remove, path: flags.gone }
`),
      ],
      models: { m: speaks('ok') },
    });
    expect(agentOf(run, 'A')).toMatchObject({
      flags: { seen: 'Go.', count: 5 },
      values: { list: ['a', 'b'] },
      deliverables: { answer: 42 },
    });
    expect(agentOf(run, 'A').flags).not.toHaveProperty('gone');
    expect(run.state.team.shared).toMatchObject({ mood: 'good' });
  });

  it('[A1.2.observer-failure] an observer that fails is recorded, the model is told, the others run, and the run goes on', async () => {
    const bad = defineObserver({
      name: 'bad',
      observe: () => {
        throw new Error('out of order');
      },
    });
    const model = speaks('ok');
    const run = await play({
      yaml: [
        agent(`
pre_turn_observers:
  - { id: first, action: { type: call, observer: bad } }
  - { id: second, action: { type: update_state, updates: [{ operation: set, path: flags.ran, value: true }] } }
`),
      ],
      models: { m: model },
      observers: [bad],
    });
    expect(run.turns()[0]?.inputs[0]).toMatchObject({
      source: 'OBSERVER_FAILURE',
      persistent: false,
      payload: { failed_observer_id: 'first', error_message: 'out of order' },
    });
    expect(promptOf(model.requests[0])).toContain("<system_error context_source='internal_observer'>");
    expect(promptOf(model.requests[0])).toContain("'first' failed: out of order");
    expect(agentOf(run, 'A').flags).toEqual({ ran: true });
    expect(run.state.status).toBe('completed');
  });

  it('[A1.2.conditions] [D1.2] [B.17] conditions are compiled at load: a typo, an unknown function or Python is an error with its place', async () => {
    const observer = (condition: string): string => `
pre_turn_observers:
  - id: o
    condition: ${JSON.stringify(condition)}
    action: { type: update_state, updates: [{ operation: set, path: flags.x, value: 1 }] }
`;
    expect(await problemOf(observer("any(i.get('source') == 'X' for i in state.inbox)"))).toMatch(/a\.yaml:\d+:\d+/);
    expect(await problemOf(observer("__import__('os').system('true')"))).toMatch(/a\.yaml:\d+:\d+/);
    expect(await problemOf(observer('stat.turn_count > 1'))).toContain('state');
    for (const good of [
      "inbox.exists(i, i.source == 'PRINCIPAL_COMPLETED')",
      'size(team.work_modules) > 0 && !state.current_action',
      "v['state.flags.n'] == null || flags.n > 2",
      "state.current_action.tool_name in ['a', 'b']",
      'state.messages[-1].role == "user"',
    ]) {
      expect(await problemOf(observer(good))).toBe('it loads');
    }
  });

  it('[A1.2.paths] paths read every root; what is missing is null, negative indexes count from the end, dotted keys are found', async () => {
    const run = await play({
      yaml: [
        agent(`
pre_turn_observers:
  - id: read
    action:
      type: update_state
      updates:
        - { operation: set, path: values.agent, value: "{{ meta.agent_id }}" }
        - { operation: set, path: values.run, value: "{{ run.title }}" }
        - { operation: set, path: values.partner, value: "{{ partner }}" }
        - { operation: set, path: values.last, value: "{{ state.inbox[-1].source }}" }
        - { operation: set, path: values.path, value: "{{ v['inbox[0].payload.prompt'] }}" }
        - { operation: set, path: values.none, value: "{{ v['state.flags.not.there'] }}" }
`),
      ],
      models: { m: speaks('ok') },
      input: 'Hello',
    });
    expect(agentOf(run, 'A').values).toEqual({
      agent: 'A_1',
      run: 'Hello',
      partner: null,
      last: 'USER_PROMPT',
      path: 'Hello',
      none: null,
    });
  });

  it('[A1.2.templates] texts interpolate expressions; null becomes nothing', async () => {
    const model = speaks('ok');
    await play({
      yaml: [
        agent(`
text_definitions: { greet: "Hello {{ run.title }}{{ v['flags.none'] }}, turn {{ state.turn_count + 1 }}." }
pre_turn_observers:
  - { id: o, action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content_key: greet } } } }
`),
      ],
      models: { m: model },
      input: 'world',
    });
    expect(messagesOf(model.requests[0])).toEqual(['user: Hello world, turn 1.', 'user: world']);
  });
});

describe('A1.2 flow decider', () => {
  it('[A1.2.decider] rules are asked in order, the first that holds wins, and each is on the record with what it saw', async () => {
    const run = await play({
      yaml: [
        agent(`
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: many, condition: state.turn_count > 3, action: { type: end_agent_turn, outcome: error } }
  - { id: fails, condition: "int(turn.reply) > 0", action: { type: end_agent_turn, outcome: error } }
  - { id: done, condition: turn.reply == 'Done.', action: { type: end_agent_turn, outcome: success } }
  - { id: unasked, action: { type: end_agent_turn, outcome: error } }
`),
      ],
      models: { m: speaks('Done.') },
    });
    expect(run.turns()[0]?.decision).toMatchObject({
      rules: [
        { id: 'tool', matched: false },
        { id: 'many', matched: false, values: { 'state.turn_count': 1 } },
        { id: 'fails', matched: false, error: { code: expect.any(String) } },
        { id: 'done', matched: true, condition: "turn.reply == 'Done.'" },
      ],
      action: { type: 'end_agent_turn', ruleId: 'done', outcome: 'success' },
    });
    expect(run.turns()[0]?.decision.rules).toHaveLength(4);
  });

  it('[A1.2.decider] when no rule holds, calls run and words end the turn', async () => {
    const model = speaks(call('generate_message_summary', { current_associate_findings: 'x' }), 'Words.');
    const run = await play({
      yaml: [
        agent(
          'tool_access_policy: { allowed_toolsets: [flow_control_summary] }\nflow_decider: [{ id: never, condition: state.turn_count > 99, action: { type: end_agent_turn, outcome: error } }]\n',
        ),
      ],
      models: { m: model },
    });
    expect(run.turns().map((turn) => turn.decision.action?.type)).toEqual(['continue_with_tool', 'end_agent_turn']);
    expect(run.state).toMatchObject({ outcome: 'success', output: 'Words.' });
  });

  it('[A1.2.decider] a rule may call a tool itself, bind the next choice of tools, or wait for certain items only', async () => {
    const profile = agent(`
tool_access_policy: { allowed_toolsets: [flow_control_summary] }
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: force, condition: state.turn_count == 1, action: { type: call_tool, tool: generate_message_summary, args: { current_associate_findings: "{{ turn.reply }}" } } }
  - { id: bind, condition: state.turn_count == 2, action: { type: set_tool_choice, tool_choice: none } }
  - { id: wait, condition: state.turn_count == 3, action: { type: await, on: [ORIGINAL_QUESTION] } }
  - { id: end, action: { type: end_agent_turn, outcome: success } }
`);
    const model = speaks('One.', 'Two.', 'Three.', 'Four.');
    const run = await play({ yaml: [profile], models: { m: model } });
    expect(promptOf(model.requests[1])).toContain('The findings you named:\nOne.');
    expect(model.requests[2]?.toolChoice).toEqual({ type: 'none' });
    expect(run.state.status).toBe('awaiting');
    await run.send('Not for you.');
    await run.settled();
    expect(model.requests).toHaveLength(3);
    await run.send({ source: 'ORIGINAL_QUESTION', payload: 'Why?' });
    await run.settled();
    expect(run.turns()[3]?.inputs.map((input) => input.source)).toEqual(['ORIGINAL_QUESTION', 'USER_PROMPT']);
    expect(run.state.outcome).toBe('success');
  });

  it('[A1.2.continue-with-tool] leads to the tools that were called; without a call it is an error, not an endless loop', async () => {
    const run = await play({
      yaml: [agent('flow_decider: [{ id: go, action: { type: continue_with_tool } }]\n')],
      models: { m: speaks('No call.') },
    });
    expect(run.state).toMatchObject({ status: 'failed', outcome: 'error' });
    expect(run.state.error?.message).toContain("rule 'go' says continue_with_tool");
  });

  it('[A1.2.end-agent-turn] ends with its outcome, message and output', async () => {
    const end = (action: string): string => agent(`flow_decider: [{ id: end, action: { type: end_agent_turn, ${action} } }]\n`);
    const good = await play({ yaml: [end('outcome: success, output: "Said: {{ turn.reply }}"')], models: { m: speaks('Yes.') } });
    expect(good.state).toMatchObject({ status: 'completed', outcome: 'success', output: 'Said: Yes.' });
    const bad = await play({ yaml: [end('outcome: error, error_message: "No: {{ turn.reply }}"')], models: { m: speaks('Hm.') } });
    expect(bad.state).toMatchObject({ status: 'failed', outcome: 'error', error: { message: 'No: Hm.' } });
    const own = await play({ yaml: [end('outcome: needs_help')], models: { m: speaks('Help.') } });
    expect(own.state).toMatchObject({ status: 'completed', outcome: 'needs_help' });
  });

  it('[A1.2.loop-with-inbox-item] adds a self-reflection and goes on; the item names its rule, and content is required', async () => {
    const loop = `
text_definitions: { reflect: "Think again about {{ run.title }}." }
flow_decider:
  - { id: end, condition: turn.reply == 'Final.', action: { type: end_agent_turn, outcome: success } }
  - { id: reflect, action: { type: loop_with_inbox_item, payload: { content_key: reflect } } }
`;
    const model = speaks('First.', 'Final.');
    const run = await play({ yaml: [agent(loop)], models: { m: model }, input: 'tea' });
    expect(run.turns()[1]?.inputs[0]).toMatchObject({
      source: 'SELF_REFLECTION_PROMPT',
      ruleId: 'reflect',
      content: 'Think again about tea.',
    });
    expect(messagesOf(model.requests[1]).at(-1)).toBe('user: Think again about tea.');
    expect(await problemOf(loop.replace('{ content_key: reflect }', '{ note: x }'))).toContain('content_key');
    expect(await problemOf(loop.replace('content_key: reflect', 'content_key: reflekt'))).toContain('reflect');
  });

  it('[A1.2.await-user-input] [B.72] waits without holding anything, and goes on when a person speaks', async () => {
    const run = await play({
      yaml: [agent('flow_decider: [{ id: wait, action: { type: await_user_input } }]\n')],
      models: { m: speaks('One.', 'Two.') },
    });
    expect(run.state.status).toBe('awaiting');
    expect(agentOf(run, 'A').status).toBe('awaiting_input');
    await run.send('More?');
    await run.settled();
    expect(run.turns().map((turn) => turn.reply.text)).toEqual(['One.', 'Two.']);
  });

  it('[A1.2.counters] [B.19] observers count replies without a tool call, a call resets, and the decider ends after three', async () => {
    const profile = agent(`
tool_access_policy: { allowed_toolsets: [flow_control_summary] }
post_turn_observers:
  - { id: up, condition: "!state.current_action", action: { type: update_state, updates: [{ operation: increment, path: flags.consecutive_no_tool_call_count }] } }
  - { id: reset, condition: state.current_action, action: { type: update_state, updates: [{ operation: set, path: flags.consecutive_no_tool_call_count, value: 0 }] } }
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: give_up, condition: flags.consecutive_no_tool_call_count > 2, action: { type: end_agent_turn, outcome: error, error_message: No progress after 3 attempts without tool calls. } }
  - { id: nudge, action: { type: loop_with_inbox_item, payload: { content: Call a tool. } } }
`);
    const model = speaks('hm', 'hm', call('generate_message_summary', { current_associate_findings: 'x' }), 'hm', 'hm', 'hm');
    const run = await play({ yaml: [profile], models: { m: model } });
    expect(run.turns()).toHaveLength(6);
    expect(run.state).toMatchObject({ outcome: 'error', error: { message: 'No progress after 3 attempts without tool calls.' } });
  });

  it('[D1.6] stagnation counters are built in: repeated work, repeated words and tool errors need no observer', async () => {
    const profile = agent(`
tool_access_policy: { allowed_toolsets: [flow_control_summary] }
flow_decider:
  - { id: stuck, condition: counters.same_action_same_result_streak >= 2, action: { type: end_agent_turn, outcome: stuck } }
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
`);
    const same = call('generate_message_summary', { current_associate_findings: 'x' });
    const run = await play({ yaml: [profile], models: { m: speaks(same, same, same, same, same) } });
    expect(run.state.outcome).toBe('stuck');
    expect(run.turns()).toHaveLength(4);
  });

  it.each([
    ['no_tool_call_streak', ['a', 'b', 'c'], 3],
    ['duplicate_reply_streak', ['same', 'same', 'same'], 3],
    ['tool_error_streak', [call('finish_flow', { nonsense: 1 }), call('no_such_tool'), call('no_such_tool')], 3],
  ] as const)('[D1.6] counters.%s grows by itself', async (counter, replies, turns) => {
    const least = counter === 'duplicate_reply_streak' ? 2 : 3;
    const profile = agent(`
flow_decider:
  - { id: stuck, condition: counters.${counter} >= ${least}, action: { type: end_agent_turn, outcome: stuck } }
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: again, action: { type: loop_with_inbox_item, payload: { content: Go on. } } }
`);
    const run = await play({ yaml: [profile], models: { m: speaks(...replies, call('no_such_tool')) } });
    expect(run.state.outcome).toBe('stuck');
    expect(run.turns().length).toBeGreaterThanOrEqual(turns);
  });

  it('[D1.6] a message from a person resets the streaks, also in a chat without tools', async () => {
    const profile = agent(`
flow_decider:
  - { id: stuck, condition: counters.no_tool_call_streak >= 2, action: { type: end_agent_turn, outcome: stuck } }
  - { id: wait, action: { type: await_user_input } }
`);
    const run = await play({ yaml: [profile], models: { m: speaks('One.', 'Two.', 'Three.') } });
    for (const message of ['And?', 'And then?']) {
      await run.send(message);
      await run.settled();
    }
    expect(run.turns()).toHaveLength(3);
    expect(agentOf(run, 'A').status).toBe('awaiting_input');
  });

  it('[A1.13.blank-replies] [D1.7] an unknown action is an error at load, and an empty reply is asked again and then an error, never a success', async () => {
    expect(await problemOf('post_turn_observers: [{ id: o, action: { type: end_agent_turn, outcome: error } }]\n')).toMatch(
      /flow_decider/,
    );
    const run = await play({ yaml: [agent('')], models: { m: scriptedModel(() => ({ text: '' })) } });
    expect(run.state).toMatchObject({ status: 'failed', outcome: 'error' });
    const thinker = await play({
      yaml: [agent('flow_decider: [{ id: end, action: { type: end_agent_turn, outcome: success } }]\n')],
      models: { m: scriptedModel(() => ({ reasoning: 'Only thoughts.' })) },
    });
    expect(thinker.state.outcome).toBe('error');
  });

  it('[D1.23] [D1.32] an agent that only loops ends by its limit, told before, and never as a success', async () => {
    const model = scriptedModel(() => ({ text: 'again' }));
    const run = await play({
      yaml: [
        agent(
          'limits: { max_turns: 5 }\nflow_decider: [{ id: again, action: { type: loop_with_inbox_item, payload: { content: Go on. } } }]\n',
        ),
      ],
      models: { m: model },
    });
    expect(run.state).toMatchObject({ status: 'failed', outcome: 'limit' });
    expect(run.turns()).toHaveLength(6);
    expect(model.requests.map((request) => promptOf(request)).filter((text) => text.includes('wrap up'))).toHaveLength(1);
    expect(model.requests.at(-1)?.toolChoice).toEqual(expect.not.objectContaining({ type: 'required' }));
  });

  it('[A1.2.stock-pre-turn] work modules, completion guidance and the principal’s activity are shown by declared observers', async () => {
    const profile = `
name: Partner
type: partner
llm_config_ref: m
instructions: You talk.
tool_access_policy: { allowed_toolsets: [planning_tools] }
text_definitions: { done: The Principal is done. }
pre_turn_observers:
  - id: modules
    condition: size(team.work_modules) > 0
    action: { type: add_to_inbox, inbox_item: { source: WORK_MODULES_STATUS_UPDATE, payload: "{{ team.work_modules }}" } }
  - id: completed
    condition: inbox.exists(item, item.source == 'PRINCIPAL_COMPLETED')
    action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content_key: done } } }
  - id: activity
    condition: team.is_principal_flow_running
    action: { type: add_to_inbox, inbox_item: { source: PRINCIPAL_ACTIVITY_UPDATE, payload: "{{ principal.messages }}" } }
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`;
    const model = speaks(
      call('manage_work_modules', { actions: [{ action: 'create', name: 'Tea', description: 'Brew it.' }] }),
      'Planned.',
      'Told.',
    );
    const engine = await openEngine({ yaml: [profile], models: { m: model } });
    const run = await engine.launch({ profile: 'Partner', input: 'Plan.' });
    await run.settled();
    expect(promptOf(model.requests[1])).toContain('### Current Work Modules\n* **WM_1:**');
    expect(promptOf(model.requests[0])).not.toContain('Work Modules');
    await run.send({ source: 'PRINCIPAL_COMPLETED', payload: { status: 'success', summary: 'Brewed.' } });
    await run.settled();
    expect(promptOf(model.requests[2])).toContain('The Principal is done.');
    expect(run.turns()[2]?.observers.find((observer) => observer.id === 'activity')?.fired).toBe(false);
  });

  it('[A1.2.stock-post-turn] a self-reflection after three turns without progress reaches the next prompt once', async () => {
    const profile = agent(`
tool_access_policy: { allowed_toolsets: [flow_control_summary] }
text_definitions: { replan: Change the plan. }
post_turn_observers:
  - id: replan
    condition: counters.same_action_same_result_streak == 2 && v['flags.told'] == null
    action: { type: add_to_inbox, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content_key: replan } } }
  - { id: told, condition: counters.same_action_same_result_streak == 2, action: { type: update_state, updates: [{ operation: set, path: flags.told, value: true }] } }
`);
    const same = call('generate_message_summary', { current_associate_findings: 'x' });
    const model = speaks(same, same, same, same, 'Done.');
    await play({ yaml: [profile], models: { m: model } });
    expect(model.requests.map((request) => promptOf(request).includes('Change the plan.'))).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});
