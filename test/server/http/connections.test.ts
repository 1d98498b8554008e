import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServerApp } from '../../../src/server/index.ts';
import { createNodeServer } from '../../../src/server/http/serve.ts';
import { listen } from '../../../src/server/listen.ts';
import { testEngine, waitsForUser } from '../../support/test-engine.ts';
import { openEvents } from './event-reader.ts';
import { allow, tool } from '../../support/tools.ts';
import { ask, closeAfter, servedTeam } from './served-team.ts';

/** Opens a connection that sends these bytes; `closed` resolves to the answer once the server has closed it. */
function slowClient(port: number, bytes: string): { readonly socket: Socket; readonly closed: Promise<string> } {
  let text = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  socket.on('error', () => undefined).setEncoding('utf8');
  socket.on('data', (chunk: string) => (text += chunk));
  onTestFinished(() => void socket.destroy());
  return { socket, closed: new Promise((resolve) => socket.on('close', () => resolve(text))) };
}

describe('S7: clients that hold on to the server', () => {
  it('are let go when they are slow with their request; streams stay open', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: () => ({ text: 'Well.' }) });
    closeAfter(team.engine);
    const server = createNodeServer(createServerApp(team.engine), { head: 100, request: 200, checkEvery: 20 });
    const port = await listen(server, 0);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const run = await team.launch();
    await run.settled();
    const stream = await openEvents(`http://127.0.0.1:${port}/api/runs/${run.id}/events`);
    const frames = stream[Symbol.asyncIterator]();
    const head = `Host: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
    const slow = [
      slowClient(port, ''),
      slowClient(port, 'GET /api/info HT'),
      slowClient(port, `GET /api/info HTTP/1.1\r\n${head}X-More: `),
      slowClient(port, `POST /api/runs HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{"input":`),
    ];
    const answers = await Promise.all(slow.map(({ closed }) => closed));
    expect(answers).toEqual(answers.map(() => expect.stringMatching(/^$|^HTTP\/1\.1 408 /)));
    // The stream was open before all of them, and still works.
    await run.send('More?');
    await run.settled();
    const { lastSeq } = JSON.parse((await ask(port, { path: `/api/runs/${run.id}` })).body) as { lastSeq: number };
    for (let seen = 0; seen < lastSeq;) {
      const frame = await frames.next();
      if (frame.done === true) throw new Error('the stream was ended');
      seen = Number(frame.value.id ?? seen);
    }
    stream.close();
  });

  it('are bounded in number, and the server answers again when they are gone', async () => {
    const { served } = await servedTeam();
    const many = Array.from({ length: 400 }, () => slowClient(served.port, 'GET /api/info HTTP/1.1\r\n'));
    // Connections above the limit are closed immediately.
    await Promise.all(many.slice(-100).map(({ closed }) => closed));
    for (const { socket } of many) socket.destroy();
    await Promise.all(many.map(({ closed }) => closed));
    let status = 0;
    // The server notices closed connections one by one.
    while (status !== 200)
      status = await ask(served.port, {}).then(
        (answer) => answer.status,
        () => 0,
      );
  });

  it('heads and bodies have a bound', async () => {
    const { served } = await servedTeam();
    expect((await ask(served.port, { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431);
    expect((await ask(served.port, { path: `/api/runs?q=${'x'.repeat(20_000)}` })).status).toBe(431);
    expect((await ask(served.port, { path: '/api/events', method: 'HEAD' })).status).toBe(200);
  });

  it('F80: 300 readers of events shut nobody out: the rest is refused at once, and others list, launch, approve and cancel', async () => {
    const team = await servedTeam({
      profile: `${waitsForUser}${allow('pay')}\ntool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
      tools: [tool('pay', () => 'paid')],
      replies: (_request, index) => (index === 0 ? { toolCalls: [{ name: 'pay', args: {} }] } : { text: 'Well.' }),
    });
    const { served } = team;
    const run = await team.launch();
    await run.settled();
    const path = ['/api/events', `/api/runs/${run.id}/events`];
    const readers = Array.from({ length: 300 }, (_, n) =>
      slowClient(served.port, `GET ${path[n % 2]} HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\n\r\n`),
    );
    const refused = (await Promise.all(readers.slice(-40).map(({ closed }) => closed))).filter((answer) => answer !== '');
    for (const answer of refused) {
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
      expect(answer).toMatch(/\r\nretry-after: 2\r\n/i);
      expect(answer).toContain('SERVER_BUSY');
    }
    expect(refused.length).toBeGreaterThan(0);
    expect((await ask(served.port, { path: '/api/runs' })).status).toBe(200);
    const post = async (action: string, body: object): Promise<number> =>
      (
        await ask(served.port, {
          path: `/api/runs/${run.id}/${action}`,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).status;
    expect(await post('approve', { ids: [run.pending[0]?.id] })).toBeLessThan(300);
    expect(await post('cancel', { reason: 'enough' })).toBeLessThan(300);
    for (const { socket } of readers) socket.destroy();
    // Their places are free again.
    let status = 0;
    while (status !== 200) {
      const reader = slowClient(served.port, `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\n\r\n`);
      status = await new Promise<number>((resolve) =>
        reader.socket.once('data', (text) => resolve(Number(String(text).slice(9, 12)))),
      );
    }
  });

  it('F80: a browser has four streams, so that its other windows can still ask; another browser has four more', async () => {
    const { served } = await servedTeam();
    const streamFor = async (name: string): Promise<number> => {
      const { socket } = slowClient(
        served.port,
        `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\nUser-Agent: ${name}\r\n\r\n`,
      );
      return await new Promise((resolve) => socket.once('data', (text) => resolve(Number(String(text).slice(9, 12)))));
    };
    const statuses: number[] = [];
    for (let window = 0; window < 6; window += 1) statuses.push(await streamFor('Mozilla/5.0 (one)'));
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503]);
    expect(await streamFor('Mozilla/5.0 (another)')).toBe(200);
    expect(await streamFor('curl/8')).toBe(200);
  });
});
