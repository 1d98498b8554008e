import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { createEngine, type Engine, type Journal, type Run } from '../../src/index.ts';

/** One agent with a window: it works with a tool, reads what is sent to it, and ends only when it is told to. */
const profile = `
name: Clerk
type: partner
llm_config_ref: m
instructions: You file what comes in.
tool_access_policy:
  allowed_individual_tools: [file_note]
context_policy: { window: 20 }
limits: { max_turns: 1000000, max_tool_calls: 1000000, max_tokens: 1000000000, max_wall_seconds: 1000000 }
flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`;

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Calls the tool when it has been spoken to, and answers once the result is in. Keeps nothing. */
const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'load',
  modelId: 'clerk',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('this model streams')),
  doStream: ({ prompt }) => {
    const spokenTo = prompt.at(-1)?.role === 'user';
    const parts: LanguageModelV4StreamPart[] = spokenTo
      ? [
          { type: 'tool-input-start', id: 'call', toolName: 'file_note' },
          { type: 'tool-input-delta', id: 'call', delta: '{"note":"noted"}' },
          { type: 'tool-input-end', id: 'call' },
          { type: 'tool-call', toolCallId: 'call', toolName: 'file_note', input: '{"note":"noted"}' },
        ]
      : [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'It is filed.' },
          { type: 'text-end', id: 't' },
        ];
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      start(controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] });
        for (const part of parts) controller.enqueue(part);
        controller.enqueue({
          type: 'finish',
          usage,
          finishReason: { unified: spokenTo ? 'tool-calls' : 'stop', raw: undefined },
        });
        controller.close();
      },
    });
    return Promise.resolve({ stream });
  },
};

/** An engine whose only profile is the clerk with its window of 20 messages. */
export function clerkEngine(store: string | Journal): Promise<Engine> {
  return createEngine({
    profiles: { files: [{ path: 'profiles/clerk.yaml', text: profile }] },
    models: { m: model },
    tools: [
      {
        name: 'file_note',
        description: 'Files a note.',
        parameters: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
        effect: 'pure',
        execute: () => 'Filed under N, between notes of the same kind.',
      },
    ],
    store,
    team: false,
    limits: { maxTurns: 10_000_000, maxToolCalls: 10_000_000, maxTokens: 1_000_000_000_000 },
  });
}

/** Lets the clerk take two turns for each message until it has taken so many. */
export async function takeTurns(run: Run, turns: number): Promise<void> {
  for (let taken = 0; taken < turns; taken += 2) {
    await run.send(`Note ${taken}: the same procedure as every time, with a few words more.`);
    await run.settled();
    // A real model answers in a later tick of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
