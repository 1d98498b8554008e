import { describe, expect, it } from 'vitest';
import { serve } from '../../../src/server/index.ts';
import { ask, closeAfter, servedTeam } from './served-team.ts';
import { testEngine } from '../../support/test-engine.ts';

const token = 'a-token-nobody-guesses';

describe('S7: who is answered', () => {
  it('requests for this machine, by its names and the port, from no page of another origin', async () => {
    const { served } = await servedTeam();
    const status = async (headers: Record<string, string>, path?: string): Promise<number> =>
      (await ask(served.port, { headers, ...(path === undefined ? {} : { path }) })).status;
    const host = `127.0.0.1:${served.port}`;
    expect(await status({ host })).toBe(200);
    expect(await status({ host: `localhost:${served.port}` })).toBe(200);
    expect(await status({ host: `LOCALHOST:${served.port}` })).toBe(200);
    expect(await status({ host: `[::1]:${served.port}` })).toBe(200);
    for (const evil of [
      'evil.example',
      `evil.example:${served.port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `127.0.0.1.evil.example:${served.port}`,
      `localhost.evil.example:${served.port}`,
      `user@127.0.0.1:${served.port}`,
      `0.0.0.0:${served.port}`,
      `2130706433:${served.port}`,
      `[::ffff:127.0.0.1]:${served.port}`,
      '',
    ]) {
      for (const path of ['/api/info', '/', '/assets/x.js', '/api/nothing'])
        expect({ evil, path, status: await status({ host: evil }, path) }).toMatchObject({
          status: expect.toSatisfy((s) => s === 403 || s === 400),
        });
    }
    expect(await status({ host, origin: `http://${host}` })).toBe(200);
    expect(await status({ host, origin: `http://localhost:${served.port}` })).toBe(200);
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:3000',
      `http://127.0.0.1.evil.example:${served.port}`,
      'file://',
      `chrome-extension://${host}`,
    ])
      expect({ origin, status: await status({ host, origin }) }).toMatchObject({ status: 403 });
    expect(await status({ host, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await status({ host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).toBe(
      403,
    );
    expect(await status({ host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(
      200,
    );
    expect(await status({ host, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).toBe(200);
  });

  it('every answer says what browsers may do with it, and none lets other origins read', async () => {
    const { served } = await servedTeam();
    for (const path of ['/api/info', '/api/nothing', '/', '/api/runs/none']) {
      const { headers } = await ask(served.port, { path });
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(/^default-src 'self'; img-src 'self' data:;.*frame-ancestors 'none'/),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('writes are POST with JSON; a server for reading refuses them', async () => {
    const { served } = await servedTeam();
    const post = async (headers: Record<string, string>, port = served.port, body = '{}'): Promise<string> => {
      const answer = await ask(port, { method: 'POST', path: '/api/nothing', headers, body });
      return `${answer.status} ${(JSON.parse(answer.body) as { error: { code: string } }).error.code}`;
    };
    expect(await post({ 'content-type': 'application/json' })).toBe('404 ROUTE_UNKNOWN');
    expect(await post({ 'content-type': 'application/json; charset=utf-8' })).toBe('404 ROUTE_UNKNOWN');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', ''])
      expect(await post({ 'content-type': type })).toBe('415 REQUEST_INVALID');
    expect(await post({ 'content-type': 'application/json' }, served.port, `"${'x'.repeat(2_000_000)}"`)).toBe(
      '413 REQUEST_TOO_LARGE',
    );
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])
      expect((await ask(served.port, { method })).status).toBe(405);
    const { served: reading } = await servedTeam({}, { readOnly: true });
    expect(await post({ 'content-type': 'application/json' }, reading.port)).toBe('403 REQUEST_REFUSED');
  });

  it('with a token, clients bear it; a browser gets a cookie for it that no script reads', async () => {
    const { served } = await servedTeam({}, { token });
    const get = (headers: Record<string, string>, path = '/api/info') => ask(served.port, { path, headers });
    expect((await get({})).status).toBe(401);
    expect((await get({ authorization: 'Bearer a-token-somebody-guesses' })).status).toBe(401);
    expect((await get({ authorization: `Basic ${token}` })).status).toBe(401);
    expect((await get({ authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await get({}, `/api/info?token=${token}`)).status).toBe(401);
    expect(await get({}, '/?token=wrong')).toMatchObject({ status: 401, body: expect.stringContaining('/?token=TOKEN') });
    const opened = await get({}, `/?token=${token}`);
    expect(opened.status).toBe(302);
    expect(opened.headers['location']).not.toContain('token');
    const cookie = String(opened.headers['set-cookie']);
    expect(cookie).toMatch(/^cadre_\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
    expect((await get({ cookie: cookie.split(';')[0] ?? '' })).status).toBe(200);
    expect((await get({ cookie: 'cadre_1=x' })).status).toBe(401);
    expect((await get({ cookie: `cadre_${served.port}=${token}` })).status).toBe(401);
  });

  it('an address that others can reach needs a token of 16 characters; names of proxies are allowed by name', async () => {
    const { engine } = await testEngine();
    closeAfter(engine);
    await expect(serve(engine, { host: '0.0.0.0' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(serve(engine, { token: 'short' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const { served } = await servedTeam({}, { allowedHosts: ['cadre.example'] });
    const status = async (headers: Record<string, string>): Promise<number> => (await ask(served.port, { headers })).status;
    expect(await status({ host: 'cadre.example' })).toBe(200);
    expect(await status({ host: 'cadre.example', origin: 'https://cadre.example' })).toBe(200);
    expect(await status({ host: `127.0.0.1:${served.port}`, origin: 'https://cadre.example' })).toBe(200);
    expect(await status({ host: 'other.example' })).toBe(403);
  });

  it('served to a network, it answers by any of its addresses, but to no page of another one', async () => {
    const token = 'a-token-for-everybody';
    const { served } = await servedTeam({}, { host: '0.0.0.0', token });
    const { port } = served;
    const status = async (host: string, origin?: string): Promise<number> => {
      const headers = { host, authorization: `Bearer ${token}`, ...(origin === undefined ? {} : { origin }) };
      return (await ask(port, { headers })).status;
    };
    expect(await status(`192.0.2.1:${port}`)).toBe(200);
    expect(await status(`192.0.2.1:${port}`, `http://192.0.2.1:${port}`)).toBe(200);
    expect(await status(`192.0.2.1:${port}`, `http://198.51.100.7:${port}`)).toBe(403);
    expect(await status(`evil.example:${port}`)).toBe(403);
  });

  it('a port that is taken, or is none, is an error that names it', async () => {
    const { engine, served } = await servedTeam();
    for (const port of [65_536, -1, 1.5])
      await expect(serve(engine, { port })).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        message: expect.stringContaining(`port ${port} cannot be used: ports are whole numbers from 0`),
      });
    await expect(serve(engine, { port: served.port })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(String(served.port)),
    });
  });
});
