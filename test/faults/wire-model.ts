import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

/** One answer of a provider: a whole response, or the body of a stream of events. */
export type WireAnswer = string | (() => Response);

/** A provider package's model whose network is in this process. */
export interface WireModel {
  readonly model: unknown;
  /** How many requests it was sent. */
  readonly requests: () => number;
}

/** Makes a model that gets these answers in order, and the last one for all calls that follow. */
export function wireModel(answers: readonly WireAnswer[]): WireModel {
  let requests = 0;
  const fetch = (): Promise<Response> => {
    const answer = answers[Math.min(requests, answers.length - 1)] ?? '';
    requests += 1;
    return Promise.resolve(typeof answer === 'string' ? streamed(answer) : answer());
  };
  const model = createOpenAICompatible({ name: 'local', baseURL: 'http://localhost/v1', apiKey: wireKey, fetch })('served');
  return { model, requests: () => requests };
}

/** The key the model is made with; it must stand in no record. */
export const wireKey = 'sk-wire-0123456789abcdef';

function streamed(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** A stream of chat chunks: each a delta, the last one with the reason, and a usage. */
export function chatStream(deltas: readonly object[], finish: string | null = 'stop', usage?: unknown): string {
  const chunk = (delta: object, reason: string | null = null): object => ({
    id: 'r',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const chunks: object[] = deltas.map((delta) => chunk(delta));
  if (finish !== null) chunks.push(chunk({}, finish));
  if (usage !== undefined) chunks.push({ id: 'r', choices: [], usage });
  return `${chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')}data: [DONE]\n\n`;
}

/** The delta of a call that comes in one piece. */
export function callDelta(index: number, id: string | undefined, name: string, args: string): object {
  return { tool_calls: [{ index, ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: args } }] };
}
