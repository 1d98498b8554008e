import { describe, expect, it } from 'vitest';
import { defineIngestor, defineTool } from '../../src/index.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { globalStrategies } from '../../src/core/inbox/strategy.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { agentOf, call, messagesOf, openEngine, play, promptOf, say, speaks } from './scenario.ts';

/** A person at the keyboard talks with it; it waits after each reply. */
const listener = `
name: Listener
type: partner
llm_config_ref: m
instructions: You listen.
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
text_definitions:
  nudge: "Think of {{ run.title }}."
`;

/** Posts items one after the other before the listener reads any of them, and gives what its model was sent then. */
async function read(items: readonly { readonly source: string; readonly payload: JsonValue }[], profile = listener) {
  const model = speaks('Hello.', 'Read.', 'And again.');
  const engine = await openEngine({ yaml: [profile], models: { m: model } });
  const run = await engine.launch({ profile: 'Listener', input: 'Hi.', title: 'tea' });
  await run.settled();
  await Promise.all(items.map(async (item) => await run.send(item)));
  await run.settled();
  return { run, model, turns: run.turns() };
}

describe('[B.10] [B.11] [B.12] [B.13] A1.3 inbox, strategies, injection', () => {
  it('[A1.3.inbox-item] an item carries id, source, payload, consumption policy and who made it, and is on the record', async () => {
    const { run, turns } = await read([{ source: 'ORIGINAL_QUESTION', payload: 'Why?' }]);
    const items = [];
    for await (const event of run.events()) {
      if (event.type === 'inbox.add') items.push(event.item);
      if (items.length === 2) break;
    }
    expect(items[1]).toMatchObject({
      itemId: expect.any(String),
      source: 'ORIGINAL_QUESTION',
      payload: 'Why?',
      consumption: 'consume_on_read',
    });
    expect(turns[1]?.inputs[0]).toMatchObject({ itemId: items[1]?.itemId, source: 'ORIGINAL_QUESTION', payload: 'Why?' });
  });

  it('[A1.3.priorities] items are read by priority, whatever order they came in; ties by arrival', async () => {
    const model = speaks(call('hold'), 'Read.');
    // While the tool runs, items arrive in the wrong order.
    let arrived = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const hold = defineTool({
      name: 'hold',
      description: 'Waits.',
      parameters: { type: 'object', properties: {} },
      execute: async () => await all.then(() => 'held'),
    });
    const profile = `${listener}tool_access_policy: { allowed_individual_tools: [hold] }\n`;
    const engine = await openEngine({ yaml: [profile], models: { m: model }, tools: [hold] });
    const run = await engine.launch({ profile: 'Listener', input: 'Hi.' });
    const order = [
      'USER_PROMPT',
      'MADE_UP',
      'PRINCIPAL_ACTIVITY_UPDATE',
      'WORK_MODULES_STATUS_UPDATE',
      'SELF_REFLECTION_PROMPT',
      'INTERNAL_DIRECTIVE',
    ];
    const rest = ['PRINCIPAL_COMPLETED', 'PARTNER_DIRECTIVE', 'AGENT_STARTUP_BRIEFING', 'OBSERVER_FAILURE'];
    for (const source of [...order, ...rest]) await run.send({ source, payload: { content: source, prompt: source } });
    arrived();
    await run.settled();
    expect(run.turns()[1]?.inputs.map((input) => [input.source, input.priority])).toEqual([
      ['TOOL_RESULT', 0],
      ['OBSERVER_FAILURE', 5],
      ['AGENT_STARTUP_BRIEFING', 8],
      ['PRINCIPAL_COMPLETED', 10],
      ['PARTNER_DIRECTIVE', 10],
      ['INTERNAL_DIRECTIVE', 15],
      ['SELF_REFLECTION_PROMPT', 20],
      ['PRINCIPAL_ACTIVITY_UPDATE', 90],
      ['WORK_MODULES_STATUS_UPDATE', 90],
      ['MADE_UP', 99],
      ['USER_PROMPT', 100],
    ]);
  });

  it('[A1.3.priorities] a strategy of the profile may give its source another priority', async () => {
    const profile = `${listener}inbox_handling_strategies: [{ source: MADE_UP, ingestor: tagged_content, priority: 1 }]\n`;
    const { turns } = await read(
      [
        { source: 'OBSERVER_FAILURE', payload: {} },
        { source: 'MADE_UP', payload: 'x' },
      ],
      profile,
    );
    // Each came alone; the second turn reads what was there.
    expect(turns.slice(1).flatMap((turn) => turn.inputs.map(({ source, priority }) => [source, priority]))).toContainEqual([
      'MADE_UP',
      1,
    ]);
  });

  const remembers = (policy: string): string => `
name: Rememberer
type: associate
llm_config_ref: m
instructions: You work.
pre_turn_observers:
  - id: remind
    condition: state.turn_count == 0
    action:
      type: add_to_inbox
      inbox_item: { source: ORIGINAL_QUESTION, payload: "Remember the milk.", ${policy} }
flow_decider:
  - { id: end, condition: state.turn_count >= 4, action: { type: end_agent_turn, outcome: success } }
  - { id: again, action: { type: retry_turn } }
`;

  it('[A1.3.consumption] consume_on_read is read once; persistent_until_consumed is injected anew every turn', async () => {
    const once = await play({
      yaml: [remembers('consumption_policy: consume_on_read')],
      models: { m: speaks('1', '2', '3', '4') },
    });
    expect(once.turns().map((turn) => turn.inputs.filter((input) => input.source === 'ORIGINAL_QUESTION').length)).toEqual([
      1, 0, 0, 0,
    ]);
    const model = speaks('1', '2', '3', '4');
    const kept = await play({ yaml: [remembers('consumption_policy: persistent_until_consumed')], models: { m: model } });
    expect(kept.turns().map((turn) => turn.inputs.filter((input) => input.source === 'ORIGINAL_QUESTION').length)).toEqual([
      1, 1, 1, 1,
    ]);
    // Once per prompt: what is injected anew is not kept in history as well.
    expect(model.requests.map((request) => promptOf(request).split('Remember the milk.').length - 1)).toEqual([1, 1, 1, 1]);
  });

  it('[A1.3.ttl] a persistent item is seen in exactly max_turns turns, then it is dropped with an event', async () => {
    const run = await play({
      yaml: [remembers('consumption_policy: persistent_until_consumed, max_turns: 2')],
      models: { m: speaks('1', '2', '3', '4') },
    });
    expect(run.turns().map((turn) => turn.inputs.filter((input) => input.source === 'ORIGINAL_QUESTION').length)).toEqual([
      1, 1, 0, 0,
    ]);
    const dropped = [];
    for await (const event of run) if (event.type === 'inbox.drop') dropped.push(event.reason);
    expect(dropped).toEqual(['expired']);
  });

  it('[A1.3.strategy-resolution] profile first, then the global table, then labelled Markdown, and the record says which', async () => {
    const own = `${listener}inbox_handling_strategies: [{ source: ORIGINAL_QUESTION, ingestor: generic_message, params: { content_template: "Mine: {{ payload }}" } }]\n`;
    const mine = await read([{ source: 'ORIGINAL_QUESTION', payload: 'Why?' }], own);
    expect(mine.turns[1]?.inputs[0]).toMatchObject({ strategy: 'profile', ingestor: 'generic_message', content: 'Mine: Why?' });
    const global = await read([{ source: 'ORIGINAL_QUESTION', payload: 'Why?' }]);
    expect(global.turns[1]?.inputs[0]).toMatchObject({ strategy: 'global', ingestor: 'tagged_content', content: 'Why?' });
    const fallback = await read([{ source: 'WEATHER_REPORT', payload: { sky_colour: 'grey' } }]);
    expect(fallback.turns[1]?.inputs[0]).toMatchObject({
      strategy: 'fallback',
      ingestor: 'markdown_formatter',
      role: 'user',
      mode: 'append_as_new_message',
      content: '### Contextual Information\n*   **Sky Colour**: grey',
    });
  });

  it('[A1.3.injection-modes] prepend_to_role goes before the last user message, and only in this turn', async () => {
    const profile = `${listener}inbox_handling_strategies: [{ source: HINT, ingestor: tagged_content, injection_mode: prepend_to_role, params: { is_persistent_in_memory: false } }]
pre_turn_observers:
  - id: hint
    condition: state.turn_count == 1
    action: { type: add_to_inbox, inbox_item: { source: HINT, payload: Mind the gap. } }
`;
    const model = speaks('Hello.', 'Yes.', 'Bye.');
    const engine = await openEngine({ yaml: [profile], models: { m: model } });
    const run = await engine.launch({ profile: 'Listener', input: 'One.' });
    await run.settled();
    await run.send('Two.');
    await run.settled();
    await run.send('Three.');
    await run.settled();
    expect(messagesOf(model.requests[1])).toEqual(['user: One.', 'assistant: Hello.', 'user: Mind the gap.\n\n---\n\nTwo.']);
    expect(messagesOf(model.requests[2])).toEqual([
      'user: One.',
      'assistant: Hello.',
      'user: Two.',
      'assistant: Yes.',
      'user: Three.',
    ]);
  });

  it('[A1.3.persistence] ephemeral text is in this turn’s prompt only, persistent text in all that follow', async () => {
    const { model } = await read([
      { source: 'WORK_MODULES_STATUS_UPDATE', payload: { WM_1: { name: 'Tea' } } },
      { source: 'ORIGINAL_QUESTION', payload: 'Why?' },
    ]);
    const last = promptOf(model.requests.at(-1));
    const before = promptOf(model.requests.at(-2));
    expect(`${before}${last}`).toContain('Tea');
    expect(last).toContain('Why?');
    expect(promptOf(model.requests[0])).not.toContain('Tea');
    const seen = model.requests.filter((request) => promptOf(request).includes('Tea'));
    expect(seen).toHaveLength(1);
  });

  it('[A1.3.role-tool] a tool result becomes a tool message that answers its call by id', async () => {
    const add = defineTool({
      name: 'add',
      description: 'Adds.',
      trust: 'trusted',
      parameters: { type: 'object', properties: {} },
      execute: () => 'four',
    });
    const model = speaks(call('add'), 'Done.');
    const profile = `${listener}tool_access_policy: { allowed_individual_tools: [add] }\n`;
    const run = await play({ yaml: [profile], models: { m: model }, tools: [add] });
    const [, assistant, tool] = model.requests[1]?.prompt.filter((message) => message.role !== 'system') ?? [];
    const called = assistant?.role === 'assistant' ? assistant.content.find((part) => part.type === 'tool-call') : undefined;
    expect(tool).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: called?.toolCallId, toolName: 'add', output: { type: 'text', value: 'four' } }],
    });
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({
      name: 'add',
      status: 'ok',
      content: 'four',
      callId: called?.toolCallId,
    });
  });

  it('[A1.3.startup-briefing] a briefing is read before everything else and never handed on', async () => {
    const { run, turns } = await read([{ source: 'AGENT_STARTUP_BRIEFING', payload: { data: { task: 'Brew' } } }]);
    expect(turns[1]?.inputs[0]).toMatchObject({
      ingestor: 'protocol_aware',
      noHandover: true,
      content: '## Agent Briefing\n* **Task:** Brew',
    });
    const agent = agentOf(run, 'Listener');
    const at = agent.history.messages.findIndex((message) => message.role === 'user' && JSON.stringify(message).includes('Brew'));
    expect(agent.history.origins[at]?.noHandover).toBe(true);
  });

  it('[A1.3.user-prompt] what a person says is read last, kept, and is where every chain of causes ends', async () => {
    const { run } = await read([]);
    await run.send('And now?');
    await run.settled();
    const turn = run.turns()[1];
    expect(turn?.inputs[0]).toMatchObject({
      source: 'USER_PROMPT',
      ingestor: 'user_prompt',
      content: 'And now?',
      persistent: true,
      priority: 100,
    });
    const [answer] = run.why(turn?.turnId ?? '', 'And now?');
    expect(answer?.causes.at(-1)?.type).toBe('inbox.add');
  });

  it('[A1.3.processing-log] each item that was read is recorded with strategy, ingestor, mode, text and the observer that made it', async () => {
    const profile = `${listener}pre_turn_observers:
  - { id: nudger, action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content_key: nudge } } } }
`;
    const run = await play({ yaml: [profile], models: { m: speaks('Yes.') }, input: 'Tea?' });
    expect(run.turns()[0]?.inputs).toMatchObject([
      {
        source: 'INTERNAL_DIRECTIVE',
        strategy: 'global',
        ingestor: 'templated_content',
        mode: 'append_as_new_message',
        content: 'Think of Tea?.',
        observerId: 'nudger',
      },
      { source: 'USER_PROMPT', strategy: 'global', ingestor: 'user_prompt', content: 'Tea?' },
    ]);
    expect(run.turns()[0]?.prompt.spans.every((span) => span.tokens > 0)).toBe(true);
  });

  it('[A1.3.ingestor-failure] [D1.19] [B.15] an item that cannot be read is reported, tried again, and shelved after three failures', async () => {
    const broken = defineIngestor({
      name: 'broken',
      ingest: () => {
        throw new Error('no such word');
      },
    });
    const profile = `${listener}inbox_handling_strategies: [{ source: RIDDLE, ingestor: broken }]\n`;
    const model = speaks('One.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.');
    const engine = await openEngine({ yaml: [profile], models: { m: model }, ingestors: [broken] });
    const run = await engine.launch({ profile: 'Listener', input: 'Hi.' });
    await run.settled();
    await run.send({ source: 'RIDDLE', payload: 'What?' });
    await run.settled();
    const prompts = model.requests.map((request) => promptOf(request)).filter((text) => text.includes('no such word'));
    expect(prompts).toHaveLength(3);
    expect(prompts[0]).toContain("<system_error context_source='internal_event_processor'>");
    expect(model.requests.at(-1)?.prompt.filter((message) => message.role === 'system')).toHaveLength(1);
    expect(agentOf(run, 'Listener').inbox.deadLetters.map((item) => item.source)).toEqual(['RIDDLE']);
    expect(run.state.status).toBe('awaiting');
    const kinds = [];
    for await (const event of run.events({ signal: AbortSignal.timeout(50) }))
      if (event.type === 'inbox.fail' || event.type === 'inbox.drop') kinds.push(event.type);
    expect(kinds).toEqual(['inbox.fail', 'inbox.fail', 'inbox.fail', 'inbox.drop']);
  });

  it('[A1.3.registry] every source of the table has its ingestor, mode and persistence', () => {
    const table = [...globalStrategies].map(([source, { ingestor, mode, role, persistent }]) =>
      [source, ingestor, mode === 'prepend_to_role' ? 'prepend' : 'append', role, persistent ? 'kept' : 'once'].join(' '),
    );
    expect(new Set(table)).toEqual(
      new Set([
        'TOOL_RESULT tool_result append tool kept',
        'AGENT_STARTUP_BRIEFING protocol_aware append user kept',
        'SELF_REFLECTION_PROMPT templated_content prepend user once',
        'INTERNAL_DIRECTIVE templated_content append user kept',
        'PARTNER_DIRECTIVE markdown_formatter append user kept',
        'PRINCIPAL_COMPLETED generic_message append user kept',
        'ALL_WORK_COMPLETED_PROMPT generic_message prepend user once',
        'PROFILES_UPDATED_NOTIFICATION generic_message prepend user once',
        'WORK_MODULES_EDITED generic_message append user kept',
        'WORK_MODULES_STATUS_UPDATE work_modules append user once',
        'PRINCIPAL_ACTIVITY_UPDATE principal_history_summary append user once',
        'VISIBLE_HISTORY visible_history append user once',
        'FIM_INSTRUCTION templated_content append user kept',
        'JSON_HISTORY_FOR_LLM json_history append user kept',
        'TOOL_INPUTS_BRIEFING markdown_formatter append user kept',
        'ORIGINAL_QUESTION tagged_content append user kept',
        'OBSERVER_FAILURE observer_failure append user once',
        'LIMIT_NOTICE generic_message append user once',
        'STAGNATION_NOTICE generic_message append user once',
        'TOOLS_CHANGED generic_message append user kept',
        'BROWSER_STATE markdown_formatter append user once',
        'HUMAN_ANSWER generic_message append user kept',
        'USER_PROMPT user_prompt append user kept',
      ]),
    );
  });

  it.each([
    ['SELF_REFLECTION_PROMPT', { content_key: 'nudge' }, 'Think of tea.'],
    ['INTERNAL_DIRECTIVE', { content_key: 'nudge' }, 'Think of tea.'],
    ['PARTNER_DIRECTIVE', { content: 'Hurry.' }, '### Directive from Partner\n*   **Instruction**: Hurry.'],
    ['PRINCIPAL_COMPLETED', { status: 'success' }, '* **Status:** success'],
    ['ALL_WORK_COMPLETED_PROMPT', 'All done.', 'All done.'],
    ['WORK_MODULES_STATUS_UPDATE', {}, 'No work modules are currently defined.'],
    ['PRINCIPAL_ACTIVITY_UPDATE', [], '<principal_activity_log>\n(no activity yet)\n</principal_activity_log>'],
    ['FIM_INSTRUCTION', { content_key: 'nudge' }, 'Think of tea.'],
    ['JSON_HISTORY_FOR_LLM', [], '<message_history_json>\n[]\n</message_history_json>'],
    ['TOOL_INPUTS_BRIEFING', { city: 'Bern' }, '### Contextual Information\n*   **City**: Bern'],
    ['ORIGINAL_QUESTION', 'Why?', 'Why?'],
  ] as const)('[A1.3.registry] %s reaches the model through its own ingestor', async (source, payload, text) => {
    const { model, turns } = await read([{ source, payload }]);
    expect(turns[1]?.inputs[0]?.source).toBe(source);
    expect(messagesOf(model.requests[1]).at(-1)).toContain(text);
  });

  it('[A1.3.registry] PROFILES_UPDATED_NOTIFICATION wakes nobody, and is read with what does', async () => {
    const { model, turns } = await read([
      { source: 'PROFILES_UPDATED_NOTIFICATION', payload: 'New people.' },
      { source: 'USER_PROMPT', payload: { prompt: 'Now.' } },
    ]);
    expect(turns).toHaveLength(2);
    expect(turns[1]?.inputs.map(({ source }) => source)).toEqual(['PROFILES_UPDATED_NOTIFICATION', 'USER_PROMPT']);
    expect(messagesOf(model.requests[1]).at(-1)).toBe('user: New people.\n\n---\n\nNow.');
    const alone = await read([{ source: 'PROFILES_UPDATED_NOTIFICATION', payload: 'New people.' }]);
    expect(alone.turns).toHaveLength(1);
  });

  it('[D1.20] [D1.21] text for one turn never edits a stored message, and no item that arrives during a turn is lost', async () => {
    const profile = `${listener}pre_turn_observers:
  - { id: nudge, action: { type: add_to_inbox, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content: Careful. } } } }
`;
    const started = Promise.withResolvers<void>();
    const posted = Promise.withResolvers<void>();
    const model = scriptedModel(async (_request, index) => {
      started.resolve();
      if (index === 0) await posted.promise;
      return say(`Reply ${index + 1}.`);
    });
    const engine = await openEngine({ yaml: [profile], models: { m: model } });
    const run = await engine.launch({ profile: 'Listener', input: 'First.' });
    await started.promise;
    await run.send('Second.');
    posted.resolve();
    await run.settled();
    expect(messagesOf(model.requests[1])).toEqual(['user: First.', 'assistant: Reply 1.', 'user: Careful.\n\n---\n\nSecond.']);
    expect(messagesOf(model.requests[0])).toEqual(['user: Careful.\n\n---\n\nFirst.']);
    expect(JSON.stringify(agentOf(run, 'Listener').history.messages)).not.toContain('Careful.');
  });

  it('[A1.3.consumption] an item that stays in the inbox does not wake an agent that waits', async () => {
    const profile = `${listener}pre_turn_observers:
  - id: keep
    condition: state.turn_count == 0
    action: { type: add_to_inbox, inbox_item: { source: ORIGINAL_QUESTION, payload: Keep this., consumption_policy: persistent_until_consumed } }
`;
    const model = speaks('One.', 'Two.');
    const run = await play({ yaml: [profile], models: { m: model } });
    expect(run.state.status).toBe('awaiting');
    expect(model.requests).toHaveLength(1);
    await run.send('Go on.');
    await run.settled();
    expect(promptOf(model.requests[1])).toContain('Keep this.');
  });
});
