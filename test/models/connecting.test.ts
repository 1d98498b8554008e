import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';

import { defaultDeadlines, type LlmConfig } from '../../src/core/model/llm-config.ts';
import type { ModelOutcome } from '../../src/core/model/model.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { createModelGateway } from '../../src/models/gateway.ts';
import { startFakeProvider, wholeReply, type Answer } from './fake-provider.ts';
import { config, errorOf, replyOf, request } from './model-fixtures.ts';

const single = { maxRetries: 0, waitMs: 0, maxWaitMs: 0 };

function callAt(baseUrl: string, deadlines: Partial<LlmConfig['deadlines']>): Promise<ModelOutcome> {
  const gateway = createModelGateway({ models: {}, clock: systemClock, env: {} });
  const local = config({
    provider: 'openai-compatible',
    model: 'llama',
    baseUrl,
    retry: single,
    deadlines: { ...defaultDeadlines, ...deadlines },
  });
  return gateway.call(request({ config: local }));
}

/** Answers after holding back the headers, like a server that first loads its model. */
const headWithFirstToken =
  (ms: number): Answer =>
  (response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(wholeReply);
    }, ms);
  };

describe('connecting and waiting for the first byte are two waits (F43)', () => {
  it('a server that sends its head with the first token is not cut at timeouts.connect', async () => {
    await using provider = await startFakeProvider([headWithFirstToken(600)]);
    const outcome = await callAt(provider.baseUrl, { connect: 150 });
    expect(replyOf(outcome).text).toContain('I will');
    expect(outcome.attempts).toHaveLength(1);
  });

  it('a server that never sends a head ends at timeouts.first_token, and the message says so', async () => {
    await using provider = await startFakeProvider([() => undefined]);
    const outcome = await callAt(provider.baseUrl, { connect: 20_000, firstToken: 300 });
    expect(errorOf(outcome)).toMatchObject({ code: 'MODEL_TIMEOUT' });
    expect(errorOf(outcome).message).toContain('timeouts.first_token');
  });

  it('a host that takes the connection and never makes it secure ends at timeouts.connect', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const outcome = await callAt(`https://127.0.0.1:${port}/v1`, { connect: 300 });
      expect(errorOf(outcome)).toMatchObject({ code: 'MODEL_TIMEOUT' });
      expect(errorOf(outcome).message).toContain('timeouts.connect');
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  it('each attempt has its own connection: one that is kept open counts as made', async () => {
    await using provider = await startFakeProvider([headWithFirstToken(0), headWithFirstToken(400)]);
    expect((await callAt(provider.baseUrl, { connect: 200 })).kind).toBe('reply');
    expect((await callAt(provider.baseUrl, { connect: 200 })).kind).toBe('reply');
  });
});
