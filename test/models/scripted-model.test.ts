import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { streamText } from 'ai';
import { describe, expect, it } from 'vitest';

import { CadreError } from '../../src/core/error.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import type { ModelDelta, ModelRequest } from '../../src/core/model/model.ts';
import { createScriptedModel, type ScriptedModelOptions } from '../../src/models/scripted/scripted-model.ts';
import { callOnce, errorOf, replyOf } from './model-fixtures.ts';

const tools = ['docs_search', 'docs_read'].map(
  (name) => ({ type: 'function', name, description: name, inputSchema: { type: 'object' } }) as const,
);
const decodeToolName = (wire: string) => wire.replace('_', '.');

const messages: readonly PromptMessage[] = [
  { role: 'system', content: 'You are a clerk.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'first ' },
      { type: 'text', text: 'question' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'docs_search', input: { query: 'tea' } },
      { type: 'tool-call', toolCallId: 'b', toolName: 'docs_read', input: { path: 'x.md' } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'a', toolName: 'docs_search', output: { type: 'text', value: '{"hits":["tea.md"]}' } },
      { type: 'tool-result', toolCallId: 'b', toolName: 'docs_read', output: { type: 'error-text', value: 'no such file' } },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'hurry' }] },
];

const textOf = async (template: string, fields: Partial<ModelRequest> = {}, options: ScriptedModelOptions = { decodeToolName }) =>
  replyOf(await callOnce(createScriptedModel({ rules: [{ reply: template }] }, options), { messages, tools, ...fields })).text;

const result = (id: string, value: string): PromptMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 't', output: { type: 'text', value } }],
});
const reply = (id: string): PromptMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id, toolName: 't', input: {} }],
});

describe('what a script sees of a request', () => {
  it.each([
    ['{{ system }}', 'You are a clerk.'],
    ['{{ first_user }} / {{ last_user }} / {{ user_texts }}', 'first question / hurry / ["first question","hurry"]'],
    ['{{ last.role }}: {{ last.text }}', 'user: hurry'],
    ['{{ turn }} {{ messages.size() }}', '2 5'],
    ['{{ tools }}', '["docs.search","docs.read"]'],
    ['{{ calls }}', '[{"tool":"docs.search","args":{"query":"tea"}},{"tool":"docs.read","args":{"path":"x.md"}}]'],
    ['{{ call_names }}', '["docs.search","docs.read"]'],
    [
      '{{ messages[2].text }} {{ messages[2].tool_calls.size() }} {{ messages[3].tool_results[1].text }}',
      'Let me look. 2 no such file',
    ],
    ['{{ last_results.map(r, r.tool) }}', '["docs.search","docs.read"]'],
    ['{{ last_results[0].data.hits[0] }} for {{ last_results[0].call_args.query }}', 'tea.md for tea'],
    ['{{ last_results[1].is_error }} {{ last_results[1].data == null }} {{ tool_results.size() }}', 'true true 2'],
    ['{{ tool_results.filter(r, r.tool == "docs.read")[0].text }}', 'no such file'],
  ])('%s', async (template, expected) => {
    expect(await textOf(template)).toBe(expected);
  });

  it('is empty where there is nothing', async () => {
    const nothing = '{{ system }}|{{ first_user }}|{{ last.text }}|{{ turn }}|{{ last_results }}|{{ tools }}|{{ calls }}.';
    expect(await textOf(nothing, { messages: [], tools: [] })).toBe('|||1|[]|[]|[].');
  });

  it('names tools as the wire does when nobody decodes them', async () => {
    expect(await textOf('{{ tools[0] }} {{ call_names[0] }}', {}, {})).toBe('docs_search docs_search');
  });

  it('gathers last results from several tool messages, back to the reply they answer', async () => {
    const history = [reply('a'), result('a', 'old'), reply('b'), result('b', 'one'), result('b', 'two')];
    expect(await textOf('{{ last_results.map(r, r.text) }}', { messages: history })).toBe('["one","two"]');
  });

  it('has results from outside with their frame and without', async () => {
    const framed = '<untrusted_data from="t">: data from outside.\n[1]\n</untrusted_data nonce="x">';
    const template =
      '{{ last_results[0].text == last_results[0].content }} {{ last_results[0].content }} {{ last_results[0].data[0] }}';
    expect(await textOf(template, { messages: [reply('a'), result('a', framed)] })).toBe('false [1] 1');
    expect(await textOf(template, { messages: [reply('a'), result('a', '[1]')] })).toBe('true [1] 1');
  });

  it('is not looked at further than its rules read', async () => {
    const long = Array.from({ length: 50 }, (_, index): LanguageModelV4CallOptions['prompt'][number] => ({
      role: 'user',
      content: [{ type: 'text', text: `m${index}` }],
    }));
    let reads = 0;
    const watched = long.map(
      (message) =>
        new Proxy(message, {
          get: (target, key, receiver) => ((reads += key === 'role' ? 1 : 0), Reflect.get(target, key, receiver)),
        }),
    );
    const model = createScriptedModel({ rules: [{ reply: '{{ last_user }}' }] });
    await model.doStream({ prompt: watched });
    // Once per message for the token estimate, and once for the last message.
    expect(reads).toBeLessThanOrEqual(long.length + 2);
  });
});

const createBrokenModel = () => createScriptedModel({ rules: [{ when: 'turm == 1', replly: 'x' }] }, { id: 'clerk' });

describe('[B.46] a scripted model', () => {
  const script: JsonObject = {
    rules: [
      {
        id: 'ask',
        when: 'turn == 1',
        reply: {
          text: 'Searching for {{ last_user }}.',
          reasoning: 'hm',
          tool_calls: [
            { tool: 'docs.search', args: { query: '{{ last_user }}' } },
            { tool: 'unknown', args: {} },
          ],
        },
      },
      { id: 'end', when: 'turn == 2', reply: 'Done.' },
    ],
  };

  it('streams its reply like any model, calling tools by their wire names', async () => {
    const deltas: ModelDelta[] = [];
    const model = createScriptedModel(script, { id: 'clerk', decodeToolName });
    const outcome = await callOnce(model, { tools, onDelta: (delta) => deltas.push(delta) });
    expect(replyOf(outcome)).toEqual({
      text: 'Searching for Hello?.',
      reasoning: 'hm',
      toolCalls: [
        { providerCallId: 'call_1', toolName: 'docs_search', input: '{"query":"Hello?"}', isIdOurs: true },
        { providerCallId: 'call_2', toolName: 'unknown', input: '{}', isIdOurs: true },
      ],
      finishReason: 'tool-calls',
    });
    expect(deltas.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(1);
    expect(outcome.usage.inputTokens).toBeGreaterThan(0);
    expect(outcome.usage.outputTokens).toBeGreaterThan(0);
    expect(outcome.attempts).toMatchObject([{ model: 'clerk' }]);
  });

  it('marks its token counts as estimates', async () => {
    const { stream } = await createScriptedModel(script).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    });
    const reader = stream.getReader();
    let last: unknown;
    for (let read = await reader.read(); !read.done; read = await reader.read()) last = read.value;
    expect(last).toMatchObject({ type: 'finish', usage: { raw: { estimated: true } } });
  });

  it('gives the same answer to the same prompt', async () => {
    const model = createScriptedModel(script, { decodeToolName });
    const first = await callOnce(model, { tools });
    const second = await callOnce(model, { tools });
    expect(replyOf(second)).toEqual(replyOf(first));
    expect(second.usage).toEqual(first.usage);
  });

  it('says which rules it tried when none holds, and is not asked again', async () => {
    const turns: readonly PromptMessage[] = [1, 2].map((n) => ({ role: 'assistant', content: [{ type: 'text', text: `${n}` }] }));
    const outcome = await callOnce(createScriptedModel(script), { messages: turns });
    expect(errorOf(outcome)).toMatchObject({
      code: 'MODEL_REJECTED',
      message: expect.stringContaining('tried in this order: ask, end'),
    });
    expect(outcome.attempts).toHaveLength(1);
  });

  it('stops when it is aborted', async () => {
    const model = createScriptedModel(script, { delayMs: 60_000 });
    const controller = new AbortController();
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
      abortSignal: controller.signal,
    });
    const read = stream.getReader().read();
    controller.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
    await expect(model.doStream({ prompt: [], abortSignal: controller.signal })).rejects.toThrow('enough');
  });

  it('lists every problem of a script that does not compile', () => {
    expect(createBrokenModel).toThrow(CadreError);
    expect(createBrokenModel).toThrow(/The script of the model "clerk" has 3 problem/);
  });

  it('works with the AI SDK itself', async () => {
    const result = streamText({ model: createScriptedModel(script), prompt: 'tea' });
    expect(await result.text).toBe('Searching for tea.');
  });
});
