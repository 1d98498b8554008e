import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request to the fake provider; `body` is the client's parsed request. */
export type Answer = (response: ServerResponse, body: Readonly<Record<string, unknown>>, request: IncomingMessage) => void;

/** Provider on the loopback interface with OpenAI's chat protocol and scripted faults. */
export interface FakeProvider extends AsyncDisposable {
  readonly baseUrl: string;
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  readonly headers: readonly IncomingMessage['headers'][];
}

/** Starts a provider that gives the answers in order, and the last one to all later calls. */
export async function startFakeProvider(answers: readonly Answer[]): Promise<FakeProvider> {
  const bodies: Readonly<Record<string, unknown>>[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
      bodies.push(body);
      headers.push(request.headers);
      answers[Math.min(bodies.length, answers.length) - 1]?.(response, body, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    bodies,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const chunk = (delta: unknown, finish: string | null = null) => ({
  id: 'r1',
  model: 'served',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = (fields: object) => ({ tool_calls: [{ index: 0, ...fields }] });

/** A reply with reasoning, text and one tool call, as sent over the wire. */
export const wholeReply: string = [
  chunk({ role: 'assistant', reasoning_content: 'Let me ' }),
  chunk({ reasoning_content: 'see.' }),
  chunk({ content: 'I will ' }),
  chunk({ content: 'pay – now.' }),
  chunk(call({ id: 'call_a', type: 'function', function: { name: 'pay', arguments: '' } })),
  chunk(call({ function: { arguments: '{"amount": 1' } })),
  chunk(call({ function: { arguments: '0, "to": "Zoë"}' } })),
  chunk({}, 'tool_calls'),
  {
    id: 'r1',
    model: 'served',
    choices: [],
    usage: { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 3 } },
  },
]
  .map((value) => `data: ${JSON.stringify(value)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

/** Answers with an event stream, complete or not; `end` closes it properly. */
export function streamAnswer(text: string, end: 'end' | 'reset' | 'hang' = 'end'): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => {
      if (end === 'end') response.end();
      if (end === 'reset') response.destroy();
    });
  };
}

/** Answers with a status and a body. */
export function plainAnswer(status: number, headers: Readonly<Record<string, string>>, body: string): Answer {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}
