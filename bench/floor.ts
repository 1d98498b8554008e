import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

/** Tool that both sides call. */
export const addTool = {
  name: 'add',
  description: 'Adds two numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  effect: 'pure',
  execute: ({ a, b }: { readonly a: number; readonly b: number }) => `The sum of ${a} and ${b} is ${a + b}.`,
} as const;

/** Options of the model object. */
export interface PlainModelOptions {
  /** Tool turns before the last answer. */
  readonly turns: number;
  /** Text deltas per reply. */
  readonly deltas?: number;
  /** Wait before the first part, in milliseconds. */
  readonly delayMs?: number;
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/**
 * Creates a spec-v4 model that replies immediately and keeps no state: N replies with one tool call each, then text. The length of the
 * prompt determines the reply, so that one object serves any number of agents.
 */
export function plainModel({ turns, deltas = 1, delayMs = 0 }: PlainModelOptions): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'plain',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('the benchmark streams')),
    doStream: async ({ prompt }: LanguageModelV4CallOptions) => {
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      const done = assistantTurns(prompt);
      return { stream: streamOf(done < turns ? callParts(done, deltas) : textParts(deltas)) };
    },
  };
}

/** Derives the turn from the number of messages, two per turn; counting their parts would make the model quadratic. */
function assistantTurns(prompt: LanguageModelV4Prompt): number {
  const first = prompt[0]?.role === 'system' ? 2 : 1;
  return Math.floor((prompt.length - first) / 2);
}

function callParts(turn: number, deltas: number): LanguageModelV4StreamPart[] {
  const id = `call_${turn}`;
  return [
    { type: 'stream-start', warnings: [] },
    ...words(deltas),
    { type: 'tool-input-start', id, toolName: 'add' },
    { type: 'tool-input-delta', id, delta: `{"a":${turn},"b":1}` },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: 'add', input: `{"a":${turn},"b":1}` },
    { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
  ];
}

function textParts(deltas: number): LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    ...words(deltas),
    { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } },
  ];
}

function words(deltas: number): LanguageModelV4StreamPart[] {
  const parts: LanguageModelV4StreamPart[] = [{ type: 'text-start', id: 't' }];
  for (let index = 0; index < deltas; index++) parts.push({ type: 'text-delta', id: 't', delta: 'Adding the two numbers now. ' });
  parts.push({ type: 'text-end', id: 't' });
  return parts;
}

function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

type Message = LanguageModelV4Prompt[number];

/** Options of the floor. */
export interface FloorOptions {
  readonly onTurn?: (messages: readonly Message[]) => void;
  readonly onDelta?: (text: string) => void;
}

/**
 * Runs the floor: a loop that calls the model's `doStream`, runs the tool and keeps the messages.
 */
export async function floorLoop(model: LanguageModelV4, options: FloorOptions = {}): Promise<Message[]> {
  const messages: Message[] = [
    { role: 'system', content: 'You add numbers.' },
    { role: 'user', content: [{ type: 'text', text: 'Add.' }] },
  ];
  const tools = [
    { type: 'function' as const, name: addTool.name, description: addTool.description, inputSchema: addTool.parameters as never },
  ];
  for (;;) {
    const before = messages.length;
    const { stream } = await model.doStream({ prompt: messages, tools });
    const reader = stream.getReader();
    let text = '';
    const calls: { toolCallId: string; toolName: string; input: string }[] = [];
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const part = next.value;
      if (part.type === 'text-delta') {
        text += part.delta;
        options.onDelta?.(part.delta);
      } else if (part.type === 'tool-call') calls.push(part);
    }
    const content: Extract<Message, { role: 'assistant' }>['content'] = [{ type: 'text', text }];
    for (const call of calls)
      content.push({ type: 'tool-call', toolCallId: call.toolCallId, toolName: call.toolName, input: JSON.parse(call.input) });
    messages.push({ role: 'assistant', content });
    for (const call of calls) {
      const value = addTool.execute(JSON.parse(call.input) as { a: number; b: number });
      messages.push({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: call.toolCallId, toolName: call.toolName, output: { type: 'text', value } }],
      });
    }
    options.onTurn?.(messages.slice(before));
    if (calls.length === 0) return messages;
  }
}
