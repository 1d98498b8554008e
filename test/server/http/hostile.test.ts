import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/server/openapi/openapi-document.ts';
import { tool } from '../../support/tools.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { hostileRequests, request, type Target } from './hostile-requests.ts';
import { sendRaw } from './raw-request.ts';
import { servedTeam, type ServedTeam } from './served-team.ts';

const token = 'a-token-nobody-guesses-24';

const paying = {
  profile: `${waitsForUser}tool_access_policy: { allowed_individual_tools: [pay] }\ntool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
  tools: [tool('pay', () => 'paid')],
  replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'done' }],
};

/** A served run that waits for a person. */
async function target(
  options: Parameters<typeof servedTeam>[1] = {},
): Promise<{ readonly team: ServedTeam; readonly at: Target; unchanged(): Promise<void> }> {
  const team = await servedTeam(paying, options);
  const run = await team.launch();
  await run.settled();
  const callId = run.pending[0]?.id ?? '';
  const seq = run.state.seq;
  const unchanged = async (): Promise<void> => {
    expect([run.state.seq, (await team.engine.runs()).length, run.pending[0]?.id]).toEqual([seq, 1, callId]);
  };
  return { team, at: { port: team.served.port, runId: run.id, callId }, unchanged };
}

describe('S7: hostile requests', () => {
  it('none of them gets through: each is refused, nothing is changed, and no answer lets another origin read', async () => {
    const { at, team, unchanged } = await target();
    const passed: unknown[] = [];
    for (const { name, bytes } of hostileRequests) {
      const { status, text } = await sendRaw(at.port, bytes(at));
      const isRefused = status === 0 || (status >= 400 && status < 500) || status === 501 || status === 505;
      if (!isRefused || /access-control-|root:x:0|"name": "cadre"/i.test(text))
        passed.push({ name, status, text: text.slice(0, 300) });
    }
    expect(passed).toEqual([]);
    expect(new Set(hostileRequests.map(({ name }) => name)).size).toBe(hostileRequests.length);
    expect(hostileRequests.length).toBeGreaterThanOrEqual(80);
    await unchanged();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(await team.get('/api/info')).toMatchObject({ name: 'cadre' });
  });

  it('the same requests made right are answered, so that it is not how they are made that is refused', async () => {
    const { at } = await target();
    const send = async (...made: Parameters<typeof request>): Promise<number> =>
      (await sendRaw(at.port, request(...made)(at))).status;
    expect(await send('GET /api/runs')).toBe(200);
    expect(await send('GET http://127.0.0.1:PORT/api/runs')).toBe(200);
    expect(await send('GET /api/runs', ['Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: same-origin'])).toBe(200);
    const json = 'Content-Type: application/json';
    expect(await send('POST /api/runs/RUN/approve', [json], '{"ids":["CALL"]}')).toBe(200);
    const chunked = `d\r\n{"text": "x"}\r\n0\r\n\r\n`;
    expect(await send('POST /api/runs/RUN/messages', [json, 'Transfer-Encoding: chunked'], chunked)).toBe(202);
    expect(await send('POST /api/runs', [json], '{"input":"x"}')).toBe(201);
    expect(await send('POST /api/runs/RUN/cancel', [json, 'Origin: http://127.0.0.1:PORT'], '{}')).toBe(200);
  });

  it('a second request behind a good one in the same connection is held to the same rules', async () => {
    const { at, unchanged } = await target();
    const good = `GET /api/info HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\n\r\n`;
    const evil = `POST /api/runs/${at.runId}/cancel HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    const both = await readAll(at.port, good + evil);
    expect(both.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
    await unchanged();
  });

  it('without the token nothing is told and nothing done, however it is brought', async () => {
    const { at, unchanged } = await target({ token });
    const ask = (line: string, ...headers: readonly string[]): Promise<{ readonly status: number; readonly text: string }> =>
      sendRaw(at.port, [`${line} HTTP/1.1`, `Host: 127.0.0.1:${at.port}`, 'Connection: close', ...headers, '', ''].join('\r\n'));
    const cookie = `cadre_${at.port}`;
    const wrong = [
      [],
      ['Authorization: Bearer'],
      ['Authorization: Bearer '],
      [`Authorization: Bearer ${token.slice(0, -1)}`],
      [`Authorization: Bearer ${token}x`],
      [`Authorization: Bearer ${token.toUpperCase()}`],
      [`Authorization: Basic ${Buffer.from(`x:${token}`).toString('base64')}`],
      [`Authorization: ${token}`],
      [`Proxy-Authorization: Bearer ${token}`],
      [`X-Token: ${token}`],
      [`Cookie: ${cookie}=${token}`],
      [`Cookie: token=${token}`],
      [`Referer: http://127.0.0.1:${at.port}/?token=${token}`],
    ];
    for (const headers of wrong) {
      for (const line of [
        'GET /api/runs',
        'GET /api/openapi.json',
        `GET /api/runs/${at.runId}/events`,
        'GET /',
        'GET /assets/x.js',
        'HEAD /api/runs',
      ]) {
        const { status, text } = await ask(line, ...headers);
        expect({ headers, line, status }).toEqual({ headers, line, status: 401 });
        expect(text).not.toContain(token);
      }
    }
    expect((await ask(`GET /api/runs?token=${token}`)).status).toBe(401);
    expect((await ask(`POST /?token=${token}`, 'Content-Type: application/json', 'Content-Length: 2', '', '{}')).status).toBe(401);
    // On the page, the token is exchanged for a cookie and removed from the address.
    const opened = await ask(`GET /?token=${token}`);
    expect(opened.status).toBe(302);
    expect(opened.text).not.toContain(token);
    // The cookie of a legitimate browser does not help another page.
    const session = /set-cookie: ([^;]+);/i.exec(opened.text)?.[1] ?? '';
    expect((await ask('GET /api/runs', `Cookie: ${session}`)).status).toBe(200);
    expect((await ask('GET /api/runs', `Cookie: ${session}`, 'Origin: https://evil.example')).status).toBe(403);
    expect((await ask('GET /api/runs', `Authorization: Bearer ${token}`, 'Origin: null')).status).toBe(403);
    await unchanged();
  });

  it('a server for reading refuses every request that would change something', async () => {
    const { at, team, unchanged } = await target({ readOnly: true });
    const writing = operations.filter(({ method }) => method === 'post');
    expect(writing.length).toBeGreaterThanOrEqual(8);
    for (const { path } of writing) {
      const response = await fetch(team.served.url + path.replace(':id', at.runId), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect([path, response.status]).toEqual([path, 403]);
    }
    expect(await team.get('/api/info')).toMatchObject({ canControl: false });
    await unchanged();
  });

  it('many sockets that say nothing are no more than it holds; who comes when they are gone is answered', async () => {
    const { at, team } = await target();
    const sockets: Socket[] = [];
    for (let count = 0; count < 400; count++) sockets.push(connect(at.port, '127.0.0.1').on('error', () => undefined));
    await expect
      .poll(() => sockets.filter((socket) => socket.closed).length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(400 - 256);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(async () => (await sendRaw(at.port, `GET /api/info HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\n\r\n`)).status, {
        timeout: 20_000,
      })
      .toBe(200);
    expect(await team.get('/api/info')).toMatchObject({ name: 'cadre' });
  });
});

function readAll(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk: Buffer) => (all += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(all));
    socket.write(text);
  });
}
