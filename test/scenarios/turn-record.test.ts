import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { defineTool } from '../../src/index.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { call, openEngine, play, promptOf, say, speaks, systemOf, wordsOf } from './scenario.ts';

const profile = `
name: Adder
type: associate
llm_config_ref: m
instructions: You add.
tool_access_policy: { allowed_individual_tools: [add, slow, boom] }
`;

const object = { type: 'object', properties: {} };
const tools = [
  defineTool({
    name: 'add',
    description: 'Adds.',
    parameters: { type: 'object', properties: { a: { type: 'integer' } } },
    effect: 'pure',
    execute: ({ a }) => ({ sum: Number(a) + 1 }),
  }),
  defineTool({
    name: 'slow',
    description: 'Slow.',
    parameters: object,
    timeout_ms: 5,
    execute: async () => await new Promise(() => undefined),
  }),
  defineTool({
    name: 'boom',
    description: 'Fails.',
    parameters: object,
    execute: () => {
      throw new Error('burnt');
    },
  }),
];

const play3 = async () => {
  const model = scriptedModel([
    {
      text: 'I add.',
      reasoning: 'One and one.',
      toolCalls: [{ name: 'add', id: 'p1', args: { a: 1 } }],
      usage: { inputTokens: 10, outputTokens: 5 },
    },
    say('Two.'),
  ]);
  const run = await play({ yaml: [profile], models: { m: model }, tools });
  return { run, model };
};

describe('[B.2] A1.6 turn model', () => {
  it('[A1.6.identity] a turn has its id, run, flow and who took it', async () => {
    const { run } = await play3();
    const [first, second] = run.turns();
    expect(first).toMatchObject({
      turnId: 'Adder_1.t1',
      runId: run.id,
      flowId: 'flow_Adder_1',
      agentInfo: { agentId: 'Adder_1', profile: 'Adder', profileType: 'associate', depth: 0 },
    });
    expect(second).toMatchObject({ turnId: 'Adder_1.t2', flowId: first?.flowId });
  });

  it('[A1.6.turn-type] turns of agents are agent turns', async () => {
    const { run } = await play3();
    expect(run.turns().map((turn) => turn.turnType)).toEqual(['agent', 'agent']);
  });

  it('[A1.6.status] running while it runs, then completed, error or cancelled, with its times and error', async () => {
    const { run } = await play3();
    expect(run.turns()[0]).toMatchObject({
      status: 'completed',
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
      error: undefined,
    });
    const failed = await play({
      yaml: [profile],
      models: { m: scriptedModel([{ error: { status: 400, message: 'bad request' } }]) },
      tools,
    });
    expect(failed.turns()[0]).toMatchObject({ status: 'error', error: { message: expect.stringContaining('bad request') } });
    const engine = await openEngine({ yaml: [profile], models: { m: scriptedModel([{ hang: true }]) }, tools });
    const hanging = await engine.launch({ profile: 'Adder', input: 'x' });
    expect(hanging.turns()[0]?.status).toBe('running');
    await hanging.cancel('enough');
    expect(hanging.turns()[0]?.status).toBe('cancelled');
    expect(hanging.state).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
  });

  it('[A1.6.causality] the baton names the turn before, and every event its cause, back to the person', async () => {
    const { run } = await play3();
    expect(run.turns().map((turn) => turn.sourceTurnIds)).toEqual([[expect.stringMatching(/^turn_user_/)], ['Adder_1.t1']]);
    const events = [];
    for await (const event of run) events.push(event);
    for (const event of events) {
      let at: typeof event | undefined = event;
      while (at?.cause !== undefined) {
        expect(at.cause).toBeLessThan(at.seq);
        at = events[at.cause - 1];
      }
      expect(at?.type).toBe('run.start');
    }
  });

  it('[A1.6.inputs] the items that were read, and the prompt as it was sent, byte for byte', async () => {
    const { run, model } = await play3();
    const second = run.turns()[1];
    expect(second?.inputs).toMatchObject([
      {
        source: 'TOOL_RESULT',
        payload: { tool_name: 'add', content: expect.stringContaining('2') },
        content: expect.stringContaining('2'),
      },
    ]);
    expect(second?.prompt.spans.map((span) => span.text).join('')).toBe(second?.prompt.text);
    expect(second?.prompt.text).toContain(systemOf(model.requests[1]));
    expect(second?.tools).toEqual(['add', 'slow', 'boom']);
    expect(promptOf(model.requests[1])).toContain('user: Go.');
  });

  it('[A1.6.inputs] the spans of every prompt are what was sent, whatever was prepended, ephemeral, windowed, or came in late', async () => {
    const late = ['a', 'b', 'c'].map((name, index) =>
      defineTool({
        name,
        description: name,
        parameters: object,
        toolset: 'late',
        trust: 'trusted',
        effect: 'pure',
        execute: async () => {
          // The first call ends last.
          for (let tick = 0; tick < 9 - index * 3; tick += 1) await new Promise((resolve) => setImmediate(resolve));
          return `result ${name}`;
        },
      }),
    );
    const rich = `
name: Rich
type: associate
llm_config_ref: m
tool_access_policy: { allowed_toolsets: [late] }
context_policy: { window: 6 }
system_prompt_construction:
  system_prompt_segments:
    - { id: one, type: static_text, order: 1, content: "You are {{ meta.agent_id }}, turn {{ state.turn_count }}.", wrapper_tags: ["<you>", "</you>"] }
    - { id: two, type: tool_description, order: 2 }
pre_turn_observers:
  - { id: before, action: { type: add_to_inbox, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content: "Before {{ state.turn_count }}." } } } }
  - { id: beside, action: { type: add_to_inbox, inbox_item: { source: WORK_MODULES_STATUS_UPDATE, payload: { WM_1: { name: Tea } } } } }
  - { id: kept, condition: state.turn_count == 1, action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content: Kept. } } } }
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: again, condition: state.turn_count < 6, action: { type: loop_with_inbox_item, payload: { content: Go on. } } }
`;
    const three = { text: 'All three.', toolCalls: late.map(({ name }) => ({ name, args: {} })) };
    const model = scriptedModel((_request, index) => (index % 2 === 0 ? three : say(`Words ${index}.`)));
    const run = await play({ yaml: [rich], models: { m: model }, tools: late });
    expect(run.turns().length).toBeGreaterThanOrEqual(6);
    run.turns().forEach((turn, index) => {
      const { spans, text } = turn.prompt;
      expect(spans.map((span) => span.text).join('')).toBe(text);
      expect(text).toBe(promptText((model.requests[index]?.prompt ?? []) as readonly PromptMessage[]));
    });
    const results = model.requests[1]?.prompt.flatMap((message) => (message.role === 'tool' ? [wordsOf(message)] : []));
    expect(results).toEqual(['result aresult bresult c']);
    expect(
      run
        .turns()[1]
        ?.inputs.slice(0, 3)
        .map((input) => input.content),
    ).toEqual(['result c', 'result b', 'result a']);
    const [answer] = run.why('Rich_1.t2', 'result a');
    expect(answer?.causes.some((cause) => cause.type === 'tool.end')).toBe(true);
  });

  it('[A1.6.outputs] the decided action is on the record', async () => {
    const { run } = await play3();
    expect(run.turns().map((turn) => turn.decision.action)).toMatchObject([
      { type: 'continue_with_tool', tools: ['add'] },
      { type: 'end_agent_turn', outcome: 'success' },
    ]);
  });

  it('[A1.6.llm-interaction] every attempt with its status and error, the reply, the model that gave it, and usage', async () => {
    const fast = 'name: fast\ntype: llm_config\nconfig: { model: m, max_retries: 1, wait_seconds_on_retry: 0.001 }\n';
    const model = scriptedModel(
      [{ error: { status: 429, message: 'slow down' } }, { text: 'Done.', usage: { inputTokens: 7, outputTokens: 3 } }],
      { modelId: 'gpt-x' },
    );
    const run = await play({
      yaml: [profile.replace('llm_config_ref: m', 'llm_config_ref: fast'), fast],
      models: { m: model },
      tools,
    });
    expect(run.turns()[0]).toMatchObject({
      attempts: [
        { error: { code: expect.stringMatching(/^MODEL_/), message: expect.stringContaining('slow down') } },
        { config: 'fast', model: 'gpt-x' },
      ],
      reply: { text: 'Done.', finishReason: 'stop' },
      usage: { inputTokens: 7, outputTokens: 3 },
    });
    expect(run.turns()[0]?.attempts[1]?.error).toBeUndefined();
    expect(run.state.usage).toMatchObject({ inputTokens: 7, outputTokens: 3, modelCalls: 1 });
  });

  it('[A1.6.tool-interactions] [D1.18] each call with arguments, result, status and times, completed when the tool ends, linked to its turn', async () => {
    const model = scriptedModel([
      {
        toolCalls: [
          { name: 'add', id: 'p1', args: { a: 1 } },
          { name: 'boom', args: {} },
          { name: 'slow', args: {} },
        ],
      },
      say('Done.'),
    ]);
    const run = await play({ yaml: [profile], models: { m: model }, tools });
    expect(run.turns()[0]?.toolInteractions).toMatchObject([
      { name: 'add', providerCallId: 'p1', args: { a: 1 }, status: 'ok', error: undefined, ms: expect.any(Number) },
      { name: 'boom', status: 'error', error: { message: expect.stringContaining('burnt') } },
      { name: 'slow', status: 'timeout', error: { code: 'TOOL_TIMEOUT' } },
    ]);
    const order = [];
    for await (const event of run)
      if (event.type === 'tool.end' || event.type === 'turn.end') order.push([event.type, event.turnId]);
    expect(order.slice(0, 4).map(([type]) => type)).toEqual(['tool.end', 'tool.end', 'tool.end', 'turn.end']);
    expect(new Set(order.slice(0, 4).map(([, turnId]) => turnId))).toEqual(new Set(['Adder_1.t1']));
  });

  it('[A1.6.operations] state changes of a turn are on its record with who made them', async () => {
    const more = `${profile}post_turn_observers:
  - { id: note, action: { type: update_state, updates: [{ operation: set, path: flags.said, value: "{{ turn.reply }}" }] } }
`;
    const run = await play({ yaml: [more], models: { m: speaks(call('add', { a: 1 }, 'I add.'), 'Two.') }, tools });
    expect(run.turns().map((turn) => turn.stateChanges)).toMatchObject([
      [{ scope: 'agent', operation: 'set', path: 'flags.said', value: 'I add.', by: 'note' }],
      [{ path: 'flags.said', value: 'Two.' }],
    ]);
  });
});
