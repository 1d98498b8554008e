import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** What a load model says: words, or calls of one tool; `hang` never answers until it is aborted. */
export type LoadReply =
  | { readonly text: string }
  | { readonly tool: string; readonly args: readonly unknown[] }
  | { readonly hang: true };

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** A model object that answers in the next tick of the event loop and keeps nothing: measurements of memory need that. */
export function loadModel(answer: (prompt: LanguageModelV4CallOptions['prompt']) => LoadReply): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'load',
    modelId: 'load',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('this model streams')),
    doStream: async ({ prompt, abortSignal }) => {
      const reply = answer(prompt);
      if ('hang' in reply) return await untilAborted(abortSignal);
      await new Promise((resolve) => setImmediate(resolve));
      return { stream: streamOf('text' in reply ? wordsParts(reply.text) : callParts(reply.tool, reply.args)) };
    },
  };
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function wordsParts(text: string): LanguageModelV4StreamPart[] {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
    { type: 'finish', usage, finishReason: { unified: 'stop', raw: undefined } },
  ];
}

function callParts(tool: string, args: readonly unknown[]): LanguageModelV4StreamPart[] {
  const calls = args.flatMap((arg, index): LanguageModelV4StreamPart[] => {
    const [id, input] = [`call${index}`, JSON.stringify(arg)];
    return [
      { type: 'tool-input-start', id, toolName: tool },
      { type: 'tool-input-delta', id, delta: input },
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName: tool, input },
    ];
  });
  return [...calls, { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: undefined } }];
}

function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] });
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
