import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { LlmConfig } from '../../src/core/model/llm-config.ts';
import type { PromptMessage, ProviderOptions } from '../../src/core/prompt/message.ts';
import type { ModelOutcome, ModelRequest } from '../../src/core/model/model.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { config, errorOf, request } from './model-fixtures.ts';
import { wireKeys, wires } from './wires.ts';

/** Bodies that a server received before it refused them with the given words. */
const sent: string[] = [];
let refusal = 'no';
const server = createServer((incoming, response) => {
  let text = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => (text += chunk));
  incoming.on('end', () => {
    sent.push(text);
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: refusal, type: 'invalid_request_error' } }));
  });
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  sent.length = 0;
  refusal = 'no';
});

const once = { maxRetries: 0, waitMs: 0, maxWaitMs: 0 };

/** Makes a call over a wire; `sent` then holds the request. */
async function call(name: string, fields: Partial<ModelRequest>, more: Partial<LlmConfig> = {}): Promise<ModelOutcome> {
  const wire = wires[name];
  if (wire === undefined) throw new Error(`no wire ${name}`);
  const { provider, model, path, api } = wire;
  const llm = config({ provider, model, baseUrl: `${url}${path}`, retry: once, ...(api !== undefined && { api }), ...more });
  const gateway = createModelGateway({ models: {}, clock: systemClock, env: wireKeys });
  return await gateway.call(request({ config: llm, ...fields }));
}

async function bodyOf(name: string, fields: Partial<ModelRequest>, more: Partial<LlmConfig> = {}): Promise<string> {
  await call(name, fields, more);
  expect(sent).toHaveLength(1);
  return sent[0] ?? '';
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = Buffer.from('%PDF-1.4 tiny').toString('base64');
const zip = Buffer.from('PK zip zip zip').toString('base64');
const file = (mediaType: string, data: string, filename: string) =>
  ({ type: 'file', mediaType, filename, data: { type: 'data', data } }) as const;
const ask: PromptMessage = {
  role: 'user',
  content: [
    { type: 'text', text: 'Look.' },
    file('image/png', png, 'dot.png'),
    file('application/pdf', pdf, 'paper.pdf'),
    file('application/zip', zip, 'all.zip'),
    file('text/csv', Buffer.from('a;b\n1;ü').toString('base64'), 'table.csv'),
    { type: 'file', mediaType: 'text/plain', filename: 'note.txt', data: { type: 'text', text: 'a written note' } },
    { type: 'file', mediaType: 'image/jpeg', data: { type: 'url', url: 'https://example.com/cat.jpg' } },
  ],
};
const looked = (callId: string): PromptMessage => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: callId,
      toolName: 'shoot',
      output: { type: 'content', value: [{ type: 'text', text: 'A picture:' }, file('image/png', png, 'shot.png')] },
    },
  ],
});
const calls: PromptMessage = {
  role: 'assistant',
  content: ['k1', 'k2'].map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'shoot', input: {} })),
};

describe.each(Object.keys(wires))('what goes over the wire: %s', (name) => {
  const isChat = name.includes('chat');
  const takesLinks = name !== 'Google' && name !== 'Bedrock';

  it('[A2.1.message] [B.47] [A2.4.llm] images, documents and texts as such, a note for what it does not take', async () => {
    const body = await bodyOf(name, { messages: [ask] });
    for (const data of [png, pdf]) expect(body).toContain(data);
    expect(body).not.toContain(zip);
    expect(body).toContain('file all.zip of type application/zip, not shown: this model does not take such files');
    expect(body).toContain('a written note');
    expect(body).toContain('1;ü');
    expect(body).toContain('https://example.com/cat.jpg');
    expect(body.includes('takes no links')).toBe(!takesLinks);
  });

  it('only notes, when its config says that it reads text', async () => {
    const body = await bodyOf(name, { messages: [ask, calls, looked('k1'), looked('k2')] }, { accepts: ['text'] });
    for (const data of [png, pdf, zip]) expect(body).not.toContain(data);
    expect(body).toContain('file dot.png of type image/png, not shown');
    expect(body).toContain('file shot.png of type image/png, not shown');
    expect(body).toContain('a written note');
  });

  it('images in tool results as images, behind the results where those hold text only', async () => {
    const question: PromptMessage = { role: 'user', content: [{ type: 'text', text: 'What is on it?' }] };
    const body = await bodyOf(name, { messages: [question, calls, looked('k1'), looked('k2'), question] });
    expect(body.split(png)).toHaveLength(3);
    if (!isChat) return;
    const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(messages[2]?.content).toBe('A picture:\n[file shot.png of type image/png: shown below the results]');
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
    const from = { type: 'text', text: '[file shot.png of type image/png, from the result of shoot:]' };
    expect(messages[4]?.content).toEqual([from, image, from, image, { type: 'text', text: 'What is on it?' }]);
  });

  it('a file that the provider cannot read is left out at a second try: the conversation goes on', async () => {
    refusal = 'Could not process image';
    const outcome = await call(name, { messages: [ask] });
    expect(sent).toHaveLength(2);
    expect(sent[0]).toContain(png);
    expect(sent[1]).not.toContain(png);
    expect(sent[1]).toContain('not shown');
    expect(outcome.attempts).toMatchObject([{ waitMs: 0, error: { code: 'MODEL_REJECTED' } }, {}]);
    expect(errorOf(outcome).code).toBe('MODEL_REJECTED');
  });

  it('[B.24] the tool choice, in its own words', async () => {
    const tool = { type: 'function', name: 'pay', description: 'Pays.', inputSchema: { type: 'object', properties: {} } } as const;
    const words: Record<string, string> = {};
    for (const choice of ['auto', 'required', 'none', 'tool'] as const) {
      sent.length = 0;
      const toolChoice = choice === 'tool' ? ({ type: 'tool', toolName: 'pay' } as const) : ({ type: choice } as const);
      const body = JSON.parse(await bodyOf(name, { tools: [tool], toolChoice })) as Record<string, unknown>;
      const ofConfig = body['toolConfig'] as { readonly toolChoice?: unknown } | undefined;
      words[choice] = JSON.stringify(body['tool_choice'] ?? ofConfig?.toolChoice ?? ofConfig ?? body['tools'] ?? 'no tools');
    }
    expect(words).toEqual(toolChoices[name]);
  });

  it('the reasoning effort, in its own words', async () => {
    const body = await bodyOf(name, {}, { reasoningEffort: 'low' });
    expect(body).toMatch(efforts[name] ?? /never/);
  });

  it('its own reasoning, signed, while tools are called', async () => {
    const options = signatures[name];
    if (options === undefined) return;
    const history: PromptMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'I think.', providerOptions: options },
          { type: 'tool-call', toolCallId: 'k1', toolName: 'shoot', input: {}, providerOptions: options },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'k1', toolName: 'shoot', output: { type: 'text', value: 'ok' } }],
      },
    ];
    const body = await bodyOf(name, { messages: history });
    expect(body).toContain('SIGNED');
    expect(body).not.toContain('item_reference');
    // Another provider's signature is not sent to this one, and does no harm.
    sent.length = 0;
    const foreign = JSON.parse(
      JSON.stringify(history).replaceAll(/"(?:anthropic|openai|google)":/g, '"elsewhere":'),
    ) as PromptMessage[];
    expect(await bodyOf(name, { messages: foreign })).not.toContain('SIGNED');
  });
});

const chatChoices = {
  auto: '"auto"',
  required: '"required"',
  none: '"none"',
  tool: '{"type":"function","function":{"name":"pay"}}',
};
const toolChoices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'OpenAI responses': { ...chatChoices, tool: '{"type":"function","name":"pay"}' },
  'OpenAI chat': chatChoices,
  'OpenAI-compatible chat': chatChoices,
  'Azure responses': { ...chatChoices, tool: '{"type":"function","name":"pay"}' },
  'Azure chat': chatChoices,
  // No choice but by having no tools.
  Bedrock: { auto: '{"auto":{}}', required: '{"any":{}}', none: '"no tools"', tool: '{"tool":{"name":"pay"}}' },
  Anthropic: { auto: '{"type":"auto"}', required: '{"type":"any"}', none: '{"type":"none"}', tool: '{"type":"tool","name":"pay"}' },
  Google: {
    auto: '{"functionCallingConfig":{"mode":"AUTO"}}',
    required: '{"functionCallingConfig":{"mode":"ANY"}}',
    none: '{"functionCallingConfig":{"mode":"NONE"}}',
    tool: '{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["pay"]}}',
  },
};

const efforts: Readonly<Record<string, RegExp>> = {
  'OpenAI responses': /"reasoning":\{"effort":"low"/,
  'OpenAI chat': /"reasoning_effort":"low"/,
  'OpenAI-compatible chat': /"reasoning_effort":"low"/,
  'Azure responses': /"reasoning":\{"effort":"low"/,
  'Azure chat': /"reasoning_effort":"low"/,
  Bedrock: /"thinking":\{"type":"enabled","budget_tokens":\d+/,
  Anthropic: /"thinking":\{"type":"enabled","budget_tokens":\d+/,
  Google: /"thinkingConfig":\{[^}]*"thinkingBudget":\d+/,
};

const signatures: Readonly<Record<string, ProviderOptions>> = {
  'OpenAI responses': { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'SIGNED' } },
  Anthropic: { anthropic: { signature: 'SIGNED' } },
  Google: { google: { thoughtSignature: 'SIGNED' } },
};

describe('the form of an answer', () => {
  const outputSchema = {
    type: 'object',
    required: ['degrees'],
    properties: { degrees: { type: 'integer' } },
    additionalProperties: false,
  };
  const told: Readonly<Record<string, RegExp>> = {
    'OpenAI responses': /"text":\{"format":\{"type":"json_schema",.*"degrees"/,
    'OpenAI chat': /"response_format":\{"type":"json_schema",.*"degrees"/,
    'OpenAI-compatible chat': /"response_format":\{"type":"json_(?:object|schema)"/,
    Anthropic: /"output_(?:format|config)":.*"json_schema".*"degrees"|"tool_choice":.*"degrees"|"degrees".*"tool_choice"/,
    Google: /"responseMimeType":"application\/json".*"degrees"|"degrees".*"responseMimeType":"application\/json"/,
  };

  it.each(Object.entries(told))(
    '%s is told of it in its own words, beside tools only when that is asked for',
    async (name, form) => {
      expect(await bodyOf(name, { outputSchema })).toMatch(form);
      sent.length = 0;
      expect(await bodyOf(name, { outputSchema }, { responseFormat: 'never' })).not.toContain('degrees');
      const tools = [
        { type: 'function' as const, name: 'pay', description: 'Pays.', inputSchema: { type: 'object', properties: {} } },
      ];
      sent.length = 0;
      expect(await bodyOf(name, { outputSchema, tools })).not.toMatch(form);
    },
  );

  it.each(Object.keys(wires))('%s is sent no tool where calls are text', async (name) => {
    const tools = [
      { type: 'function' as const, name: 'pay', description: 'Pays.', inputSchema: { type: 'object', properties: {} } },
    ];
    const body = await bodyOf(name, { tools, textProtocol: 'xml' });
    expect(body).not.toMatch(/"(?:tools|tool_choice|functionDeclarations)":/);
  });
});
