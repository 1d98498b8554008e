import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { gate } from '../support/test-engine.ts';
import { buildPage, usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

const folder = path.join(import.meta.dirname, '..', '..', 'dist', 'page');

describe('the built page', () => {
  beforeAll(buildPage, 120_000);
  const filesOf = (part: string): readonly string[] =>
    readdirSync(path.join(folder, part), { recursive: true, encoding: 'utf8' }).map((name) => path.join(part, name));
  const files = (): readonly string[] => filesOf('.');
  const scriptsOf = (part: string): readonly string[] => filesOf(part).filter((name) => name.endsWith('.js'));
  const gzipped = (name: string): number => gzipSync(read(name)).length;
  const read = (name: string): Buffer => readFileSync(path.join(folder, name));

  // A quarter of it is the fold: what the page shows is what the engine decides by, not a second reading of the journal.
  it('begins with one script under 74 KB gzipped; the scripts for turns and events, and for authors, come when they are needed; one style sheet', () => {
    const first = /src="\.\/([^"]+\.js)"/.exec(read('index.html').toString('utf8'))?.[1] ?? '';
    const later = scriptsOf('assets')
      .filter((name) => name !== first)
      .toSorted();
    expect(later).toEqual(
      ['author-views', 'diff-view', 'late-views', 'request-list'].map((name) => expect.stringContaining(`assets/${name}-`)),
    );
    expect(read(first).toString('utf8')).not.toMatch(/^import[^(]/);
    expect(filesOf('assets').filter((name) => name.endsWith('.css'))).toHaveLength(1);
    const sizes = [first, ...later].map(gzipped);
    console.log(`scripts: ${sizes.map((size) => (size / 1000).toFixed(1)).join(' and ')} KB gzipped`);
    expect(sizes[0]).toBeLessThan(74_000);
    // Turns and events are two of the later ones.
    for (const size of sizes.slice(1)) expect(size).toBeLessThan(30_000);
  });

  it('is one script for exported runs, which carry it inside', () => {
    expect(scriptsOf('file')).toHaveLength(1);
    expect(read(scriptsOf('file')[0] ?? '').toString('utf8')).not.toMatch(/\bimport\s*\(|^import\b/m);
  });

  it('F64: the HTML itself says that it loads, before any script is there', () => {
    for (const name of ['index.html', 'file/index.html']) {
      const [, body = ''] = read(name).toString('utf8').split('<body>');
      expect(body).toMatch(/Cadre[^]*Loading…/);
    }
  });

  it('asks nobody else for anything: no address but those of namespaces stands in it', () => {
    const all = files()
      .filter((name) => /\.(?:js|css|html)$/.test(name))
      .map((name) => read(name).toString('utf8'))
      .join('\n');
    const addresses = new Set([...all.matchAll(/\b(?:https?|wss?):\/\/[^\s"'`)]+/g)].map(([address]) => address));
    expect([...addresses].filter((address) => !address.startsWith('http://www.w3.org/'))).toEqual([]);
  });
});

describe.skipIf(whyNoPage !== undefined)(`the page on a slow line (${whyNoPage ?? 'in Chromium'})`, () => {
  it('F64: stands there at once, and a turn is shown when its script has come', async () => {
    await using team = await serveTeam(browser, { replies: () => ({ text: 'Well.' }) });
    const run = await team.engine.launch({ profile: 'Root', input: 'Go.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/`);
    const held = gate();
    const heldTurn = gate();
    await page.route(/assets\/index-.*\.js$/, async (route) => await held.promise.then(() => route.continue()));
    await page.route(/assets\/late-views-.*\.js$/, async (route) => await heldTurn.promise.then(() => route.continue()));
    await page.goto(`${team.url}/?slow#/runs/${run.id}/turns/Root_1.t1`, { waitUntil: 'commit' });
    await page.getByText('Loading…', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Cadre' }).waitFor();
    await browser.screenshot(page, 'shell-before-script');
    held.open();
    await page.getByRole('navigation', { name: 'Views of this run' }).waitFor();
    await page.getByRole('main').getByText('Loading…').waitFor();
    heldTurn.open();
    await page.getByRole('heading', { name: 'Root_1.t1' }).waitFor();
    expect(await page.getByRole('link', { name: 'Cadre' }).count()).toBe(1);
    expect(await page.getByText('Loading…').count()).toBe(0);
  });

  it('F64: a script for turns that does not come is said, and got by loading again', async () => {
    await using team = await serveTeam(browser, { replies: () => ({ text: 'Well.' }) });
    const run = await team.engine.launch({ profile: 'Root', input: 'Go.' });
    await run.settled();
    browser.expectProblem(/ERR_FAILED|Failed to load/);
    const page = await browser.open(`${team.url}/#/`);
    await page.route(/assets\/late-views-.*\.js$/, (route) => route.abort());
    await page.goto(`${team.url}/?cut#/runs/${run.id}/turns/Root_1.t1`);
    await page.getByRole('alert').getByText('script for this view').waitFor();
    await page.unroute(/assets\/late-views-.*\.js$/);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByRole('heading', { name: 'Root_1.t1' }).waitFor();
  });
});

describe.skipIf(whyNoPage !== undefined)(`the page without a server (${whyNoPage ?? 'in Chromium'})`, () => {
  it('says that nobody answers, instead of showing nothing', async () => {
    const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
    const server = createServer((request, response) => {
      const name = request.url === '/' ? 'index.html' : (request.url ?? '').slice(1);
      const type = types[path.extname(name)];
      if (type === undefined) return response.destroy();
      return response.writeHead(200, { 'content-type': type }).end(readFileSync(path.join(folder, name)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      browser.expectProblem(/ERR_EMPTY_RESPONSE/);
      const page = await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toContain('The server does not answer');
      await browser.screenshot(page, 'no-server');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
