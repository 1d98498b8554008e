import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createContentHash } from '../../src/engine/recovery/content-hash.ts';
import { exportRun } from '../../src/engine/recovery/export-run.ts';
import { importRun } from '../../src/engine/recovery/imported-run.ts';
import { serve } from '../../src/server/index.ts';
import { toPageFile } from '../../src/server/export/page-file.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { richRun } from '../support/rich-journal.ts';
import { testEngine } from '../support/test-engine.ts';
import { buildPage, usePageBrowser, whyNoPage } from './browser.ts';

const browser = usePageBrowser();

let folder = '';
beforeAll(async () => {
  await buildPage();
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-exported-'));
}, 120_000);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Texts with a meaning to browsers, scripts or their parsers. */
const hostile = [
  '</script><script>window.hit = 1</script>',
  '<!--<script>',
  ']]></style><img src="https://evil.example/x.png" onerror="window.hit = 1">',
  '\u2028\u2029\u202e\u0000\u001b[31m',
  '<iframe src="https://evil.example"></iframe><base href="https://evil.example/">',
  'data-encoding="gzip">',
].join('\n');

/** Exports a run to a file and opens it from disk. */
async function opened(says: Parameters<typeof richRun>[0], place = ''): Promise<{ readonly page: Page; readonly file: string }> {
  const { bundle } = await exportRun(await richRun(says), { at: 1_000, redact: true, env: {}, homes: [] });
  const file = path.join(folder, `${Math.random().toString(36).slice(2)}.html`);
  const text = await toPageFile(bundle);
  await writeFile(file, text);
  const page = await browser.open(`${pathToFileURL(file).href}${place}`);
  return { page, file: text };
}

describe.skipIf(whyNoPage !== undefined)('a page with a run inside, opened from the disk', () => {
  it('shows without a server what happened, a turn, and where a line came from, and asks nobody for anything', async () => {
    const { page } = await opened({ input: 'What is in the box?' });
    await page.getByRole('heading', { name: 'What is in the box?' }).first().waitFor();
    await page.getByText('Worker_2').first().waitFor();
    await browser.screenshot(page, 'exported-run');
    await page.getByRole('navigation', { name: 'Views of this run' }).getByRole('link', { name: 'turns' }).click();
    await page.getByRole('link', { name: 'Lead_1.t1' }).first().click();
    await page.getByRole('heading', { name: 'Lead_1.t1' }).waitFor();
    await page.getByRole('searchbox', { name: 'Where did this text come from?' }).fill('in the box');
    await page.getByRole('button', { name: 'ask' }).click();
    const answer = page.getByRole('complementary', { name: 'Where this came from' });
    await answer.getByText('USER_PROMPT').filter({ visible: true }).first().waitFor();
    await browser.screenshot(page, 'exported-turn');
    expect(page.url()).toMatch(/^file:.*#\/runs\/run_\w+\/turns\/Lead_1\.t1\?why=/);
  });

  it('offers no comparison, since there is one run in it, and shows that run at the address of one', async () => {
    const { page } = await opened({ input: 'What is in the box?' }, '#/compare/run_a/run_b');
    await page.getByRole('heading', { level: 1, name: 'What is in the box?' }).waitFor();
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: /copy/i }).first().waitFor();
    expect(await page.getByRole('link', { name: 'compare with…' }).count()).toBe(0);
  });

  it('shows whatever the run says as text, packed or not', async () => {
    for (const result of [hostile, hostile + 'x'.repeat(400_000)]) {
      const { page, file } = await opened({ input: hostile, result });
      await page.getByRole('heading', { name: 'window.hit' }).first().waitFor();
      expect(await page.evaluate('window.hit')).toBeUndefined();
      expect(await page.evaluate('document.scripts.length')).toBe(2);
      expect(file.match(/<script/g)).toHaveLength(2);
      expect(file).not.toContain('<iframe');
    }
  });

  it('an imported run says where it came from, and offers nothing that would go on with it', async () => {
    const run = await richRun({ input: 'Stopped in the middle' });
    const { bundle } = await exportRun(
      { ...run, events: run.events.slice(0, -2) },
      { at: 1_000, redact: true, env: {}, homes: [] },
    );
    const store = createMemoryJournal();
    const hash = createContentHash();
    const runId = await importRun(store, bundle, { from: 'their run.json', at: Date.now(), hash, owner: '1@h#n' });
    const { engine } = await testEngine({ store });
    const served = await serve(engine);
    onTestFinished(async () => {
      await served.close();
      await engine.close();
    });
    const page = await browser.open(`${served.url}/#/runs/${runId}`);
    await page.getByText('imported', { exact: true }).waitFor();
    expect(await page.getByText('connected', { exact: true }).count()).toBe(0);
    expect(await page.getByTitle('read from their run.json').count()).toBe(1);
    expect(await page.getByRole('button', { name: /Cancel|Resume/ }).count()).toBe(0);
    await page.getByRole('navigation', { name: 'Views of this run' }).getByRole('link', { name: 'talk' }).click();
    await page.getByText('thank you').first().waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await browser.screenshot(page, 'imported-run');
  });
});
