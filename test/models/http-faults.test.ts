import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fixture } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ErrorCode } from '../../src/core/error.ts';
import { defaultDeadlines, type LlmConfig } from '../../src/core/model/llm-config.ts';
import type { ModelOutcome } from '../../src/core/model/model.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { config, errorOf, replyOf, request } from './model-fixtures.ts';
import { startMock, wireKeys, wires, type MockProviders, type Wire } from './wires.ts';

const good: Fixture = { match: {}, response: { content: 'Here I am, with quite a few words.' } };
const call: Fixture = {
  match: {},
  response: { content: 'I pay.', toolCalls: [{ name: 'pay', arguments: '{"amount":10,"to":"Zoë and the others"}' }] },
};

let server: MockProviders;
beforeAll(async () => {
  server = await startMock([]);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Answers the next request with a fault and all later ones properly. */
function failOnce(fault: Omit<Fixture, 'match'>): void {
  let asked = 0;
  server.mock.clearFixtures().addFixtures([{ ...fault, match: { predicate: () => asked++ === 0 } }, good]);
}

/** Returns the config of a wire, without waits between attempts. */
function over(wire: Wire, url: string, fields: Partial<LlmConfig> = {}): LlmConfig {
  const { provider, model, path, api } = wire;
  return config({
    provider,
    model,
    baseUrl: `${url}${path}`,
    retry: { maxRetries: 1, waitMs: 1, maxWaitMs: 1 },
    ...(api !== undefined && { api }),
    ...fields,
  });
}

async function ask(llm: LlmConfig): Promise<ModelOutcome> {
  const gateway = createModelGateway({ models: {}, clock: systemClock, env: wireKeys });
  return await gateway.call(request({ config: llm }));
}

const error = (status: number, message: string, more: object = {}) => ({ response: { error: { message, ...more }, status } });
const hello = good.response;

/** Failure of a first answer and its code; another attempt follows each of these. */
interface PassingFault {
  readonly name: string;
  readonly fault: Omit<Fixture, 'match'>;
  readonly codes: readonly ErrorCode[];
  readonly fields?: Partial<LlmConfig>;
}
const cutCodes: readonly ErrorCode[] = ['MODEL_STREAM_CUT', 'MODEL_UNAVAILABLE', 'MODEL_BAD_RESPONSE'];
const impatient = (fields: Partial<LlmConfig['deadlines']>) => ({ deadlines: { ...defaultDeadlines, ...fields } });
const passing: readonly PassingFault[] = [
  { name: '429', fault: error(429, 'slow down'), codes: ['MODEL_RATE_LIMITED'] },
  { name: '500', fault: error(500, 'oops'), codes: ['MODEL_UNAVAILABLE'] },
  { name: '503', fault: error(503, 'overloaded'), codes: ['MODEL_UNAVAILABLE'] },
  { name: '529', fault: error(529, 'overloaded'), codes: ['MODEL_UNAVAILABLE'] },
  { name: 'a dropped request', fault: { response: hello, chaos: { dropRate: 1 } }, codes: ['MODEL_UNAVAILABLE'] },
  { name: 'a limit out of nowhere', fault: { response: hello, chaos: { rateLimitRate: 1 } }, codes: ['MODEL_RATE_LIMITED'] },
  { name: 'malformed JSON, status 200', fault: { response: hello, chaos: { malformedRate: 1 } }, codes: ['MODEL_BAD_RESPONSE'] },
  { name: 'a closed connection', fault: { response: hello, chaos: { disconnectRate: 1 } }, codes: ['MODEL_UNAVAILABLE'] },
  {
    name: 'a stream cut in its text',
    fault: { response: hello, chunkSize: 4, latency: 2, truncateAfterChunks: 4 },
    codes: cutCodes,
  },
  {
    name: 'a connection lost midway',
    fault: { response: hello, chunkSize: 4, latency: 8, disconnectAfterMs: 50 },
    codes: cutCodes,
  },
  {
    name: 'nobody who answers in time',
    fault: { response: hello, chaos: { latencyMs: 2_000 } },
    codes: ['MODEL_TIMEOUT'],
    fields: impatient({ firstToken: 400 }),
  },
  {
    name: 'silence between chunks',
    fault: { response: hello, chunkSize: 4, latency: 2_000 },
    codes: ['MODEL_TIMEOUT'],
    fields: impatient({ firstToken: 400, betweenChunks: 400 }),
  },
];

/** Failures that are not retried. */
const lasting: readonly (readonly [string, Omit<Fixture, 'match'>, ErrorCode])[] = [
  ['400', error(400, 'no such parameter', { type: 'invalid_request_error' }), 'MODEL_REJECTED'],
  ['401', error(401, `no such key: ${wireKeys.OPENAI_API_KEY}`, { type: 'authentication_error' }), 'MODEL_REJECTED'],
  ['404', error(404, 'no such model', { type: 'not_found_error' }), 'MODEL_REJECTED'],
  ['413', error(413, 'request too large'), 'MODEL_CONTEXT_TOO_LONG'],
  ['400 for a prompt that is too long', error(400, 'prompt is too long: 210000 tokens > 200000'), 'MODEL_CONTEXT_TOO_LONG'],
];

describe.each(Object.entries(wires))('faults over HTTP: %s', (_wire, wire) => {
  it.each(passing)('$name: tried again, nothing of it is in the reply', async ({ fault, codes, fields }) => {
    failOnce(fault);
    const outcome = await ask(over(wire, server.url, fields));
    expect(replyOf(outcome)).toMatchObject({ text: 'Here I am, with quite a few words.', toolCalls: [] });
    expect(outcome.attempts).toHaveLength(2);
    expect(codes).toContain(outcome.attempts[0]?.error?.code);
  });

  it('a call cut in its arguments is tried again, and is no call', async () => {
    // Google's wire sends calls whole, so the cut comes after the text before it.
    failOnce({ response: call.response, chunkSize: 4, latency: 2, truncateAfterChunks: wire.provider === 'google' ? 1 : 7 });
    const outcome = await ask(over(wire, server.url));
    expect(replyOf(outcome)).toMatchObject({ text: 'Here I am, with quite a few words.', toolCalls: [] });
    expect(outcome.attempts).toHaveLength(2);
  });

  it.each(lasting)('%s: said at once, without the key', async (_name, fault, code) => {
    failOnce(fault);
    const outcome = await ask(over(wire, server.url));
    expect(errorOf(outcome).code).toBe(code);
    expect(outcome.attempts).toHaveLength(1);
    for (const key of Object.values(wireKeys)) expect(JSON.stringify(outcome)).not.toContain(key);
  });

  it.each([
    ['an HTML page', 200, 'text/html', '<html><body>Sign in</body></html>', 'MODEL_BAD_RESPONSE', /HTML|text\/html/],
    ['an HTML page of a proxy', 502, 'text/html', '<html>Bad gateway</html>', 'MODEL_UNAVAILABLE', /502/],
    ['plain text', 200, 'text/plain', 'it works!', 'MODEL_BAD_RESPONSE', /./],
    [
      'an error with status 200',
      200,
      'application/json',
      '{"error":{"message":"quota used up"}}',
      'MODEL_BAD_RESPONSE',
      /quota used up/,
    ],
    ['nothing', 200, 'text/event-stream', '', 'MODEL_BAD_RESPONSE', /./],
    ['half a line', 200, 'text/event-stream', 'data: {"id":', 'MODEL_BAD_RESPONSE', /./],
    ['bytes', 200, 'application/octet-stream', '\u0000\u0001\u0002', 'MODEL_BAD_RESPONSE', /./],
  ])('%s where an answer should be', async (_name, status, type, body, code, message) => {
    await using broken = await startServer((response) => {
      response.writeHead(status, { 'content-type': type });
      response.end(body);
    });
    const outcome = await ask(over(wire, broken.url));
    expect(errorOf(outcome)).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(outcome.attempts).toHaveLength(2);
  });
});

/** Starts a server that gives every request the same answer. */
async function startServer(answer: (response: ServerResponse) => void): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
