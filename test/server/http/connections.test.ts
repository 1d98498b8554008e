import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServerApp } from '../../../src/server/index.ts';
import { createNodeServer } from '../../../src/server/http/serve.ts';
import { listen } from '../../../src/server/listen.ts';
import { testEngine, waitsForUser } from '../../support/test-engine.ts';
import { openEvents } from './event-reader.ts';
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
});
