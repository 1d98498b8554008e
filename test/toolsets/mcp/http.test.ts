import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, type McpHttpHandler } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../src/core/json.ts';
import { toolContext } from '../../tools/tool-context.ts';
import { connectMcp, referenceServer, type ConnectedToolset } from './mcp-host.ts';

const open: ConnectedToolset[] = [];
const servers: Server[] = [];
const children: ChildProcess[] = [];

function connect(settings: JsonObject): ConnectedToolset {
  const connected = connectMcp('s', settings);
  open.push(connected);
  return connected;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ toolset }) => toolset.close?.()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  port = 0,
): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => handle(request, response, body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function freePort(): Promise<number> {
  const server = createSocketServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts server-everything over HTTP and waits until it listens. */
async function everything(transport: 'streamableHttp' | 'sse', port: number): Promise<ChildProcess> {
  const { args } = referenceServer('everything', transport) as { readonly args: readonly string[] };
  const child = spawn(process.execPath, args, { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  for (let tries = 0; tries < 400; tries += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/nothing`).then(
      () => true,
      () => false,
    );
    if (isUp) return child;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('server-everything does not listen');
}

/** A server of 2026-07-28 in this process. */
async function modern(): Promise<{ readonly url: string; readonly handler: McpHttpHandler; readonly tools: string[] }> {
  const tools = ['echo'];
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'modern', version: '1' }, { capabilities: { tools: { listChanged: true } } });
      for (const name of tools)
        server.registerTool(
          name,
          { description: 'Says it again.', inputSchema: z.object({ text: z.string() }) },
          async ({ text }, context) => {
            await context.mcpReq.notify({
              method: 'notifications/progress',
              params: { progressToken: context.mcpReq._meta?.progressToken ?? 0, progress: 1, total: 2 },
            });
            return { content: [{ type: 'text', text: `${name}: ${text}` }] };
          },
        );
      return server;
    },
    { legacy: 'reject', keepAliveMs: 0 },
  );
  const serve = toNodeHandler(handler);
  const server = createServer((request, response) => void serve(request as Parameters<typeof serve>[0], response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, handler, tools };
}

describe('servers over HTTP', () => {
  it('[A5.mcp-manager] [A1.13.mcp-pool] [A1.8.mcp-proxy] server-everything, streamable: calls, progress; killed in the middle of a call and started again', async () => {
    const port = await freePort();
    const child = await everything('streamableHttp', port);
    const server = connect({ url: `http://127.0.0.1:${port}/mcp` });
    await server.ready();
    expect(await server.tool('s_echo').execute({ message: 'hi' }, toolContext())).toEqual({ content: 'Echo: hi', isError: false });
    const started = Promise.withResolvers<void>();
    const running = server
      .tool('s_trigger-long-running-operation')
      .execute({ duration: 30, steps: 300 }, toolContext({ progress: () => started.resolve() })) as Promise<unknown>;
    await started.promise;
    child.kill('SIGKILL');
    await expect(running).rejects.toMatchObject({ code: 'MCP_DISCONNECTED', details: { outcome: 'unknown' } });
    await everything('streamableHttp', port);
    await server.clock.advance(500);
    await server.ready();
    expect(await server.tool('s_echo').execute({ message: 'again' }, toolContext())).toMatchObject({ content: 'Echo: again' });
  });

  it('server-everything over sse', async () => {
    const port = await freePort();
    await everything('sse', port);
    const server = connect({ url: `http://127.0.0.1:${port}/sse`, transport: 'sse' });
    await server.ready();
    expect(await server.tool('s_get-sum').execute({ a: 1, b: 2 }, toolContext())).toMatchObject({
      content: expect.stringContaining('3'),
    });
  });

  it('a server of 2026-07-28: asked what it speaks, called without a session, its changed tools listed again', async () => {
    const { url, handler, tools } = await modern();
    const server = connect({ url });
    await server.ready();
    const notes: number[] = [];
    const context = toolContext({ progress: (fraction) => notes.push(fraction) });
    expect(await server.tool('s_echo').execute({ text: 'hi' }, context)).toEqual({ content: 'echo: hi', isError: false });
    expect(notes).toEqual([0.5]);
    tools.push('more');
    handler.notify.toolsChanged();
    await server.until(() => server.tools().has('s_more'), 'another tool');
  });
});

describe('servers over HTTP that misbehave', () => {
  const failed = async (settings: JsonObject): Promise<string> => {
    const server = connect({ protocol: 'legacy', ...settings });
    await server.until(() => server.health.at(-1)?.status === 'failed', 'failing');
    return server.health.at(-1)?.message ?? '';
  };

  it('a page of HTML, an error, a redirect to another machine and a closed port are told of', async () => {
    const html = await listen((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
    );
    expect(await failed({ url: html })).toMatch(/content type: text\/html/);
    const broken = await listen((_request, response) => response.writeHead(500).end('out of order'));
    expect(await failed({ url: broken })).toMatch(/out of order/);
    let asked = 0;
    const other = await listen((_request, response) => {
      asked += 1;
      response.end();
    });
    const elsewhere = other.replace('127.0.0.1', 'localhost');
    const redirect = await listen((_request, response) => response.writeHead(307, { location: elsewhere }).end());
    expect(await failed({ url: redirect, headers: { authorization: 'Bearer secret' } })).toMatch(/redirect/i);
    expect(asked).toBe(0);
    expect(await failed({ url: `http://127.0.0.1:${await freePort()}/mcp` })).toMatch(/ECONNREFUSED/);
    const flood = await listen((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"x":"${'y'.repeat(100_000)}"}`),
    );
    expect(await failed({ url: flood, max_message_bytes: 50_000 })).toMatch(/more than 50000 bytes/);
  });

  it('[A1.8.mcp-proxy] one that never answers is given up when its time is over', async () => {
    const url = await listen(() => undefined);
    const server = connect({ url, protocol: 'legacy', timeouts: { connect: 5 } });
    await server.until(() => server.clock.timers > 0);
    await server.clock.advance(5_000);
    await server.until(() => server.health.at(-1)?.status === 'failed');
    expect(server.health.at(-1)?.message).toMatch(/did not answer the handshake within 5 s/);
  });

  /** A server of 2025 whose calls go as the test wants. */
  const scripted = async (onCall: (id: number, response: ServerResponse, calls: number) => void): Promise<string> => {
    let calls = 0;
    return await listen((request, response, body) => {
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
      const reply = (result: object): void =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `session${calls}` })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (id === undefined) response.writeHead(202).end();
      else if (method === 'initialize')
        reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
      else if (method === 'tools/list') reply({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
      else onCall(id, response, (calls += 1));
    });
  };

  it('a stream that ends without an answer, silently, is a lost call and no wait of minutes', async () => {
    const url = await scripted((_id, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      response.end();
    });
    const server = connect({ url, protocol: 'legacy' });
    await server.ready();
    await expect(server.tool('s_act').execute({}, toolContext())).rejects.toMatchObject({
      code: 'MCP_DISCONNECTED',
      details: { outcome: 'unknown' },
    });
  });

  it.each([
    ['in lines without end', '\n'],
    ['in lines that end otherwise', '\r'],
    ['in lines that end in both ways', '\r\n'],
  ])('an event %s is broken off like any message that is too long; many short ones are not', async (_name, end) => {
    const url = await scripted((id, response, calls) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const note = JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', data: 'x'.repeat(900) },
      });
      if (calls === 1) for (let sent = 0; sent < 60; sent += 1) response.write(`data: ${note}${end}${end}`);
      else for (let sent = 0; sent < 60; sent += 1) response.write(`data: ${'y'.repeat(900)}${end}`);
      if (calls === 1)
        response.end(
          `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'all' }] } })}${end}${end}: end${end}`,
        );
    });
    const server = connect({ url, protocol: 'legacy', max_message_bytes: 30_000 });
    await server.ready();
    expect(await server.tool('s_act').execute({}, toolContext())).toMatchObject({ content: 'all' });
    await expect(server.tool('s_act').execute({}, toolContext())).rejects.toMatchObject({
      code: 'MCP_DISCONNECTED',
      details: { outcome: 'unknown' },
    });
  });

  it('a session the server has forgotten is opened anew, and the call, which it never got, made once more', async () => {
    const url = await scripted((id, response, calls) => {
      if (calls === 1) response.writeHead(404).end('no such session');
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `call ${calls}` }] } }));
    });
    const server = connect({ url, protocol: 'legacy' });
    await server.ready();
    const result = server.tool('s_act').execute({}, toolContext()) as Promise<unknown>;
    await server.until(() => server.health.at(-1)?.status === 'failed');
    await server.clock.advance(500);
    expect(await result).toEqual({ content: 'call 2', isError: false });
  });
});
