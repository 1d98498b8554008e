import { createEngine, defineTool, type Engine, type EngineOptions, type Journal, type Run } from '../../src/index.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { type Answer, type FakeProvider, streamAnswer } from './fake-provider.ts';
import { wireConfig, wireKeys, type Wire } from './wires.ts';

/** A call as a provider writes it; `args` is JSON text. */
export interface RawCall {
  readonly id?: string;
  readonly name: string;
  readonly args: string;
}

/** A reply before it is encoded for a wire. */
export interface RawReply {
  readonly text?: string;
  readonly calls?: readonly RawCall[];
}

/** Encodes events of a stream: JSON or words after `data:`. */
export function sse(...events: readonly (object | string)[]): string {
  return events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
}

/** Event whose name is also its type. */
type NamedEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** Encodes named events, as Anthropic and OpenAI's responses API send them. */
function namedSse(...events: readonly NamedEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** Returns a chunk of OpenAI's chat protocol. */
export function chatChunk(delta: object, finish?: string | null, more: object = {}): object {
  return {
    id: 'r1',
    object: 'chat.completion.chunk',
    model: 'served',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  };
}

/** Returns the chunks of a reply in OpenAI's chat protocol, without an end. */
export function chatBody({ text, calls = [] }: RawReply): readonly object[] {
  const words = text === undefined ? [] : [chatChunk({ role: 'assistant', content: text })];
  return [
    ...words,
    ...calls.map(({ id, name, args }, index) =>
      chatChunk({
        tool_calls: [{ index, ...(id !== undefined && { id }), type: 'function', function: { name, arguments: args } }],
      }),
    ),
  ];
}

/** Usage at the end of a chat server's reply. */
export const chatUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

function chat(reply: RawReply): string {
  const finish = (reply.calls ?? []).length > 0 ? 'tool_calls' : 'stop';
  return sse(...chatBody(reply), chatChunk({}, finish), { id: 'r1', choices: [], usage: chatUsage }, '[DONE]');
}

/** Returns the events of a reply in Anthropic's protocol; `stop` is the finish reason, if any. */
export function anthropicBody({ text, calls = [] }: RawReply, stop: string | null | undefined): string {
  const blocks = [
    ...(text === undefined ? [] : [{ block: { type: 'text', text: '' }, delta: { type: 'text_delta', text } }]),
    ...calls.map(({ id, name, args }) => ({
      block: { type: 'tool_use', id, name, input: {} },
      delta: { type: 'input_json_delta', partial_json: args },
    })),
  ];
  const usage = { input_tokens: 11, output_tokens: 1 };
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'served', content: [], stop_reason: null, usage };
  return namedSse(
    { type: 'message_start', message },
    ...blocks.flatMap(({ block, delta }, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    ...(stop === undefined ? [] : [{ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 7 } }]),
    { type: 'message_stop' },
  );
}

/** Returns a candidate of Google's protocol. */
export function googleBody({ text, calls = [] }: RawReply, finishReason: string | undefined, more: object = {}): string {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id, name, args }) => ({
      functionCall: { ...(id !== undefined && { id }), name, args: JSON.parse(args) as object },
    })),
  ];
  const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };
  const content = parts.length === 0 ? {} : { content: { role: 'model', parts } };
  return sse({
    candidates: [{ index: 0, ...content, ...(finishReason !== undefined && { finishReason }), ...more }],
    usageMetadata,
  });
}

function responses({ text, calls = [] }: RawReply): string {
  const items = [
    ...(text === undefined
      ? []
      : [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }]),
    ...calls.map(({ id, name, args }, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: id,
      name,
      arguments: args,
      status: 'completed',
    })),
  ];
  const response = { id: 'resp_1', created_at: 1, model: 'served' };
  return namedSse(
    { type: 'response.created', response },
    ...items.flatMap((item, output_index) => [
      {
        type: 'response.output_item.added',
        output_index,
        item: item.type === 'message' ? { ...item, content: [] } : { ...item, arguments: '' },
      },
      ...(item.type === 'message'
        ? [{ type: 'response.output_text.delta', item_id: 'msg_1', output_index, content_index: 0, delta: text }]
        : [
            {
              type: 'response.function_call_arguments.delta',
              item_id: item.id,
              output_index,
              delta: (item as { arguments: string }).arguments,
            },
          ]),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { ...response, usage: { input_tokens: 11, output_tokens: 7 } } },
  );
}

/** Returns a whole reply over a wire, as its provider would send it. */
export function replyOver(wire: Wire, reply: RawReply): Answer {
  const hasCalls = (reply.calls ?? []).length > 0;
  if (wire.provider === 'anthropic') return streamAnswer(anthropicBody(reply, hasCalls ? 'tool_use' : 'end_turn'));
  if (wire.provider === 'google') return streamAnswer(googleBody(reply, 'STOP'));
  return streamAnswer(wire.api === 'responses' ? responses(reply) : chat(reply));
}

/** Team of one clerk with the tool `look_up`, over a wire to a fake provider. */
export interface ClerkOverWire extends AsyncDisposable {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly looked: readonly unknown[];
  /** Runs the team to its end. */
  run(input: string): Promise<Run>;
}

/**
 * Opens a clerk; `more` are further lines of its LLM config, `files` further profile files, `profile` further lines of its profile.
 */
export async function clerkOver(
  wire: Wire,
  provider: FakeProvider,
  options: {
    readonly more?: readonly string[];
    readonly profile?: string;
    readonly files?: readonly { readonly path: string; readonly text: string }[];
    /** Tools as YAML. */
    readonly tools?: string;
    readonly journal?: Journal;
    readonly models?: EngineOptions['models'];
  } = {},
): Promise<ClerkOverWire> {
  const {
    more = ['max_retries: 0'],
    profile = '',
    files = [],
    tools = '[look_up]',
    journal = createMemoryJournal(),
    models,
  } = options;
  const looked: unknown[] = [];
  const engine = await createEngine({
    store: journal,
    ...(models !== undefined && { models }),
    team: false,
    env: { ...wireKeys, MISTRAL_API_KEY: 'k', GROQ_API_KEY: 'gsk_0123456789', OPENROUTER_API_KEY: 'k' },
    profiles: {
      files: [
        wireConfig(wire, new URL(provider.baseUrl).origin, more),
        ...files,
        {
          path: 'profiles/Clerk.yaml',
          text: `name: Clerk\ntype: associate\nllm_config_ref: wire\ninstructions: You work.\ntool_access_policy: { allowed_individual_tools: ${tools} }\n${profile}`,
        },
      ],
    },
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Looks up the weather.',
        effect: 'pure',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        execute: (args) => {
          looked.push(args);
          return `${JSON.stringify(args)} is fine`;
        },
      }),
    ],
  });
  return {
    engine,
    journal,
    looked,
    async run(input) {
      const run = await engine.launch({ profile: 'Clerk', input });
      await run.result;
      return run;
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
