import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPage, usePageBrowser, whyNoPage } from './browser.ts';

const browser = usePageBrowser();

const folder = path.join(import.meta.dirname, '..', '..', 'dist', 'page');

describe('the built page', () => {
  beforeAll(buildPage, 120_000);
  const files = (): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const read = (name: string): Buffer => readFileSync(path.join(folder, name));

  // A quarter of it is the fold: what the page shows is what the engine decides by, not a second reading of the journal.
  it('is one script under 84 KB gzipped, and one style sheet', () => {
    const scripts = files().filter((name) => name.endsWith('.js'));
    expect(scripts).toHaveLength(1);
    expect(files().filter((name) => name.endsWith('.css'))).toHaveLength(1);
    const size = scripts.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    console.log(`script: ${(size / 1000).toFixed(1)} KB gzipped`);
    expect(size).toBeLessThan(84_000);
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
