import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { addPageRoutes } from '../../../src/server/http/routes/page-routes.ts';
import { Routes } from '../../../src/server/http/routes.ts';
import type { ServerEnv } from '../../../src/server/index.ts';
import { servedTeam } from './served-team.ts';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'cadre-page-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function appOf(page: string): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  app.use('*', async (context, next) => {
    context.set('person', { name: 'anyone', role: 'read' });
    await next();
  });
  addPageRoutes(new Routes(app), page);
  app.all('*', (context) => context.text('nothing', 404));
  return app;
}

it('serves the page afresh each time, and its files for good', async () => {
  const built = folder();
  mkdirSync(path.join(built, 'assets', 'deep.js'), { recursive: true });
  writeFileSync(path.join(built, 'index.html'), '<!doctype html><title>Cadre</title>');
  writeFileSync(path.join(built, 'assets', 'index-Ab_1-c.js'), 'export {};');
  writeFileSync(path.join(built, 'assets', 'notes.txt'), 'no');
  writeFileSync(path.join(built, 'assets', '.hidden.js'), 'no');
  writeFileSync(path.join(built, 'secret.js'), 'no');
  const app = appOf(built);
  for (const address of ['/', '/index.html', '/?x=1']) {
    const page = await app.request(address);
    expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
  }
  const script = await app.request('/assets/index-Ab_1-c.js');
  expect(await script.text()).toBe('export {};');
  expect([script.headers.get('content-type'), script.headers.get('cache-control')]).toEqual([
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
  for (const address of [
    '/assets/notes.txt',
    '/assets/.hidden.js',
    '/assets/deep.js',
    '/assets/none.js',
    '/assets/',
    '/assets/..%2fsecret.js',
    '/assets/%2e%2e%2fsecret.js',
    '/assets/..%5csecret.js',
    '/assets/%00.js',
    '/assets/index-Ab_1-c.js%00',
    '/secret.js',
    '/package.json',
  ])
    expect([address, (await app.request(address)).status]).toEqual([address, 404]);
});

it('says how the page is built where it is not', async () => {
  const page = await appOf(folder()).request('/');
  expect(page.status).toBe(503);
  expect(await page.text()).toContain('npm run build:page');
});

it('S7: paths as no client would write them lead to no file outside', async () => {
  const { served } = await servedTeam();
  for (const target of [
    '/../../../../etc/passwd',
    '/assets/../../../package.json',
    '//etc/passwd',
    '/assets//etc/passwd',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%252f..%252fpackage.json',
    '/assets/....//package.json',
    'http://evil.example/assets/../package.json',
    '/assets/..;/package.json',
    '\\..\\package.json',
    '*',
  ]) {
    const answer = await raw(served.port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\nConnection: close\r\n\r\n`);
    expect([target, answer]).toEqual([target, expect.not.stringMatching(/"devDependencies"|root:/)]);
    expect([target, answer]).toEqual([target, expect.stringMatching(/^HTTP\/1\.1 (400|403|404) /)]);
  }
});

/** Sends raw bytes and returns the answer. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}
